/* The answer box: a draft that survives a reload, a counter, and an utterance that stays until the server has it. */

import { byId, newId, points } from "./text.js";

/** @typedef {{text: string, pending: string, spoken?: string}} Draft `pending` is the id under which the text was sent, `spoken` that of the recording it came from, or "" */

const FULL_FROM = 0.9;

export class Composer {
  /** @param {(frame: object) => boolean} send */
  constructor(send) {
    this.send = send;
    this.form = /** @type {HTMLFormElement} */ (byId("composer"));
    this.box = /** @type {HTMLTextAreaElement} */ (byId("answer"));
    this.count = byId("count");
    this.limit = Number(this.form.dataset.limit);
    this.key = `viva:draft:${this.form.dataset.round}`;
    this.pending = "";
    /** The id of the recording that the text in the box came from; "" where it was typed. */
    this.spoken = "";
    this.#restore();
    this.box.addEventListener("input", () => this.#changed());
    this.#changed();
  }

  /** @returns {string} what would be sent */
  get text() {
    // Half of a character, as a cut through an emoji leaves it, is not text.
    return this.box.value.replace(/\0|\p{Surrogate}/gu, "").trim();
  }

  /** @returns {string} a reason why the text cannot be sent, or "" */
  get refusal() {
    const length = points(this.text).length;
    if (!length) return "There is nothing to send yet.";
    if (length > this.limit) return `This answer has ${format(length)} characters; ${format(this.limit)} are accepted. Nothing was cut: shorten it, then send it again.`;
    return "";
  }

  /** Sends the text; it stays in the box, read-only, until the server says that it is stored. */
  say() {
    this.pending ||= this.spoken || newId();
    this.#lock(true);
    this.#save();
    this.resend();
  }

  /** Hands an unacknowledged text over again; the same id makes that harmless. */
  resend() {
    const mode = this.pending === this.spoken ? "spoken" : "typed";
    if (this.pending) this.send({ type: "say", id: this.pending, text: this.text, mode });
  }

  /**
   * The server has stored an utterance: by an ack, or by its event in the log.
   * @param {string} id
   */
  stored(id) {
    if (id !== this.pending) return;
    this.pending = "";
    this.spoken = "";
    this.box.value = "";
    this.#lock(false);
    this.#changed();
  }

  /**
   * The server refused something: where it was the utterance, its text is left in the box, to be changed or sent again.
   * A frame that it could not read has no id; any other problem without one is about something else.
   * @param {{id?: string, code: string}} problem
   */
  refused({ id, code }) {
    if (!this.pending || (id !== this.pending && code !== "bad_frame")) return;
    this.pending = "";
    this.#lock(false);
    this.#save();
  }

  /**
   * What was heard goes into the box, after what stands there; a correction made before a reload stays.
   * @param {string} id of the recording
   * @param {string} text
   */
  hear(id, text) {
    if (this.spoken === id || this.pending) return;
    this.spoken = id;
    this.box.value = [this.text, text].filter(Boolean).join("\n");
    this.#changed();
    this.box.focus();
  }

  /**
   * The recording goes on or is gone: its words go too, unless they were corrected.
   * @param {string} text as it was heard
   */
  unhear(text) {
    this.spoken = "";
    if (this.text === text.trim()) this.box.value = "";
    this.#changed();
  }

  /** @param {boolean} locked */
  #lock(locked) {
    this.box.readOnly = locked;
    /** @type {HTMLButtonElement} */ (byId("send")).disabled = locked;
  }

  #changed() {
    const length = points(this.text).length;
    this.count.hidden = length === 0;
    this.count.textContent = `${format(length)} of ${format(this.limit)} characters`;
    this.count.classList.toggle("over", length > this.limit);
    this.count.classList.toggle("near", length > this.limit * FULL_FROM);
    this.box.setAttribute("aria-invalid", String(length > this.limit));
    this.#save();
  }

  #save() {
    try {
      if (this.box.value) localStorage.setItem(this.key, JSON.stringify({ text: this.box.value, pending: this.pending, spoken: this.spoken }));
      else localStorage.removeItem(this.key);
    } catch {
      /* Storage is full or blocked: the text is still in the box. */
    }
  }

  #restore() {
    if (this.box.value) return;
    try {
      const draft = /** @type {Draft|null} */ (JSON.parse(localStorage.getItem(this.key) ?? "null"));
      if (!draft) return;
      this.box.value = draft.text;
      this.pending = draft.pending;
      this.spoken = draft.spoken ?? "";
      this.#lock(Boolean(draft.pending));
    } catch {
      /* An unreadable draft is no draft. */
    }
  }
}

/** @param {number} count */
const format = (count) => count.toLocaleString("en-GB");
