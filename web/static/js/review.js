/* What was heard, sentence by sentence: doubtful words, numbers, terms and restored units are marked, and each sentence can be played. */

import { byId, points, shown } from "./text.js";

const KINDS = /** @type {Record<string, string>} */ ({
  doubtful: "doubtful",
  number: "number",
  term: "term",
  restored: "restored unit",
});

/** @typedef {{start: number, end: number, kind: string, note?: string}} Mark */
/** @typedef {{start: number, end: number, from_s: number, to_s: number}} Sentence */

export class Review {
  /** @param {HTMLTextAreaElement} box where the text is corrected */
  constructor(box) {
    this.box = box;
    this.panel = byId("review");
    this.list = byId("review-sentences");
    this.player = /** @type {HTMLAudioElement} */ (byId("review-sound"));
    this.until = Infinity;
    this.player.addEventListener("timeupdate", () => this.player.currentTime >= this.until && this.player.pause());
  }

  hide() {
    this.panel.hidden = true;
    this.player.pause();
    this.player.removeAttribute("src");
    this.list.replaceChildren();
  }

  /**
   * @param {{text: string, marks: Mark[], sentences: Sentence[]}} review
   * @param {string} sound the address of the recording
   */
  show(review, sound) {
    this.player.src = sound;
    const letters = points(review.text);
    const rows = review.sentences.map((sentence, number) => this.#row(letters, review.marks, sentence, number));
    this.list.replaceChildren(...rows);
    const changes = review.marks.filter((mark) => mark.kind === "restored").map((mark) => {
      const line = document.createElement("li");
      line.textContent = shown(`“${letters.slice(mark.start, mark.end).join("").trim()}” was put back: ${mark.note ?? ""}.`);
      return line;
    });
    byId("review-changes").replaceChildren(...changes);
    const marks = review.marks.filter((mark) => mark.kind === "doubtful").length;
    byId("review-count").textContent = marks ? `${marks} ${marks === 1 ? "word is" : "words are"} doubtful.` : "No word is doubtful.";
    this.panel.hidden = false;
  }

  stop() {
    this.player.pause();
  }

  /**
   * @param {string[]} letters
   * @param {Mark[]} marks
   * @param {Sentence} sentence
   * @param {number} number from 0
   */
  #row(letters, marks, sentence, number) {
    const row = document.createElement("li");
    const play = document.createElement("button");
    play.type = "button";
    play.className = "plain small play";
    play.setAttribute("aria-label", `Play sentence ${number + 1}`);
    play.textContent = "▶";
    play.addEventListener("click", () => this.#play(sentence));
    const text = document.createElement("p");
    text.dir = "auto";
    const edges = new Set([sentence.start, sentence.end]);
    const here = marks.filter((mark) => mark.start < sentence.end && mark.end > sentence.start);
    for (const mark of here) edges.add(Math.max(mark.start, sentence.start)).add(Math.min(mark.end, sentence.end));
    const cuts = [...edges].sort((a, b) => a - b);
    for (const [at, start] of cuts.slice(0, -1).entries()) {
      const end = cuts[at + 1] ?? start;
      const over = here.filter((mark) => mark.start <= start && end <= mark.end);
      const words = shown(letters.slice(start, end).join(""));
      text.append(over.length ? this.#mark(words, over) : words);
    }
    row.append(play, text);
    return row;
  }

  /**
   * @param {string} words
   * @param {Mark[]} over
   */
  #mark(words, over) {
    const button = document.createElement("button");
    const kinds = [...new Set(over.map((mark) => mark.kind))];
    button.type = "button";
    button.className = `heard ${kinds.join(" ")}`;
    button.textContent = words;
    const notes = over.map((mark) => mark.note).filter(Boolean);
    button.title = [...kinds.map((kind) => KINDS[kind] ?? kind), ...notes].join(": ");
    button.addEventListener("click", () => this.#find(words));
    return button;
  }

  /**
   * Selects the words in the answer box, to be typed over.
   * @param {string} words
   */
  #find(words) {
    const from = this.box.selectionEnd === this.box.value.length ? 0 : this.box.selectionEnd;
    const next = this.box.value.indexOf(words, from);
    const at = next >= 0 ? next : this.box.value.indexOf(words);
    this.box.focus();
    if (at >= 0) this.box.setSelectionRange(at, at + words.length);
  }

  /** @param {Sentence} sentence */
  #play(sentence) {
    this.until = sentence.to_s + 0.15;
    this.player.currentTime = Math.max(0, sentence.from_s - 0.1);
    void this.player.play().catch(() => byId("review-count").replaceChildren("The recording cannot be played here."));
  }
}
