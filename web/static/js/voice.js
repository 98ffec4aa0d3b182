/* Speaking an answer: the buttons, the microphone, what is on its way, and what was heard. */

import { recall } from "./kept.js";
import { Microphone, whyNot } from "./microphone.js";
import { Review } from "./review.js";
import { Silence } from "./silence.js";
import { Take } from "./take.js";
import { byId } from "./text.js";
import { caption, show, showTime } from "./voice-panel.js";
import { VoiceSettings } from "./voice-settings.js";

const QUIETEST_DB = -60;

export class Voice {
  /**
   * @param {import("./live.js").Live} live
   * @param {import("./composer.js").Composer} composer
   * @param {() => void} begins the person starts to speak
   */
  constructor(live, composer, begins) {
    const panel = byId("voice");
    this.sound = panel.dataset.sound ?? "";
    this.limit = Number(panel.dataset.longest);
    this.composer = composer;
    this.begins = begins;
    this.take = new Take(live, () => this.#show(), panel.dataset.round ?? "");
    this.silence = new Silence();
    this.review = new Review(composer.box);
    this.microphone = new Microphone(
      new URL(panel.dataset.worklet ?? "", location.href),
      (frame, level) => this.#frame(frame, level),
      (words, lost) => this.#trouble(words, lost),
    );
    this.settings = new VoiceSettings(live, this.take, this.silence, this.microphone.worklet);
    this.opening = false;
    this.released = false;
    this.trouble = "";
    this.reviewed = "";
    const press = /** @type {[string, () => void][]} */ ([
      ["voice-start", () => this.toggle()],
      ["voice-pause", () => this.pause()],
      ["voice-done", () => this.done()],
      ["voice-discard", () => this.#discard()],
      ["voice-ready", () => this.#ready()],
    ]);
    for (const [id, act] of press) byId(id).addEventListener("click", act);
    panel.hidden = false;
    this.#show();
  }

  get recording() {
    return this.microphone.open;
  }

  /** @param {any} frame `take`, `kept` or `caption` */
  hear(frame) {
    if (frame.type === "caption") {
      caption(frame.text);
      return;
    }
    this.take.hear(frame);
    if (this.take.state === "none" && !this.composer.pending) this.composer.spoken = "";
  }

  /** @param {{id?: string, code: string}} problem with a frame of sound it has no id, and is `take_refused` */
  refused({ id, code }) {
    const ours = id === this.take.id;
    if (ours || code === "take_refused") this.pause();
    if (ours || (code === "take_refused" && id === undefined)) this.take.refused();
  }

  /** "Let me think" was pressed: silence does not end the answer now. */
  think() {
    this.silence.think();
  }

  toggle() {
    if (this.recording) this.pause();
    else void this.#start();
  }

  /** The key that is held to talk went down. */
  hold() {
    if (!this.recording) void this.#start();
  }

  /** The key that is held to talk went up. */
  release() {
    this.released = true;
    this.pause();
  }

  pause() {
    this.microphone.stop();
    this.#show();
  }

  done() {
    if (!this.take.frames) return;
    this.microphone.stop();
    this.take.done();
    this.#show();
  }

  async #start() {
    if (this.opening || this.take.ending || this.take.state === "hearing" || whyNot()) return;
    this.begins();
    this.review.stop();
    if (recall("voice-checked", "no") !== "yes") {
      this.settings.open();
      return;
    }
    this.opening = true;
    this.released = false;
    this.trouble = "";
    this.#show();
    try {
      await this.microphone.start();
      this.#record();
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
    }
    this.opening = false;
    if (this.released) this.microphone.stop();
    this.#show();
  }

  #record() {
    this.silence.reset();
    if (this.take.state === "heard") this.composer.unhear(this.take.review?.text ?? "");
    this.take.begin(this.settings.keep);
  }

  #ready() {
    this.settings.close();
    void this.#start();
  }

  /**
   * @param {Int16Array} frame
   * @param {number} level in dB
   */
  #frame(frame, level) {
    if (this.take.frames >= this.limit) {
      this.trouble = `An answer has at most ${Math.round(this.limit / 600)} minutes. All of it is kept: press Done.`;
      this.pause();
      return;
    }
    this.take.push(frame);
    /** @type {HTMLMeterElement} */ (byId("voice-level")).value = Math.max(0, 1 - level / QUIETEST_DB);
    if (this.take.frames % 10) showTime(this.take);
    else this.#show();
    if (this.silence.ends(level)) this.done();
  }

  /**
   * @param {string} words
   * @param {boolean} lost
   */
  #trouble(words, lost) {
    this.trouble = words;
    if (lost) this.microphone.stop();
    this.#show();
  }

  #discard() {
    this.microphone.stop();
    this.trouble = "";
    if (this.take.review) this.composer.unhear(this.take.review.text);
    this.take.discard();
  }

  #show() {
    show(this);
    const { id, state, review } = this.take;
    if (state === "heard" && review && this.reviewed !== id) {
      // Once for each recognition, so that a correction is not undone.
      this.reviewed = id;
      this.composer.hear(id, review.text);
      this.review.show(review, `${this.sound}${id}`);
    } else if (state !== "heard" && this.reviewed) {
      this.reviewed = "";
      this.review.hide();
    }
  }
}
