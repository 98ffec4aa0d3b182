/* One spoken answer on its way to the server: frames are kept here until the server has them on its disk. */

import { newId } from "./text.js";

const TICK_MS = 100;
const A_TICK = 20;
const IN_FLIGHT = 100;
const BACKLOG_BYTES = 256 * 1024;
const AGAIN_MS = 2000;

/** @typedef {"none"|"recording"|"hearing"|"heard"|"failed"} TakeState */

export class Take {
  /**
   * @param {import("./live.js").Live} live
   * @param {() => void} onChange
   */
  constructor(live, onChange) {
    this.live = live;
    this.onChange = onChange;
    this.#clear();
    setInterval(() => this.#pump(A_TICK), TICK_MS);
    addEventListener("beforeunload", (event) => this.unstored > 5 && event.preventDefault());
  }

  #clear() {
    this.id = "";
    /** @type {TakeState} */
    this.state = "none";
    this.progress = 0;
    this.problem = "";
    /** @type {any} */
    this.review = null;
    this.ending = false;
    /** @type {Int16Array[]} frames that the server does not have yet, from number `base` on */
    this.held = [];
    this.base = 0;
    this.sent = 0;
    this.waiting = false;
  }

  /** Frames so far. */
  get frames() {
    return this.base + this.held.length;
  }

  /** Frames that are not on the server's disk. */
  get unstored() {
    return this.held.length;
  }

  /** @param {boolean} keep whether the sound is wanted after the answer was sent */
  begin(keep) {
    if (!this.id) this.id = newId();
    this.keep = keep;
    this.ending = false;
    this.state = "recording";
    this.review = null;
    this.live.send({ type: "record", id: this.id, keep });
    this.waiting = true;
  }

  /** @param {Int16Array} frame */
  push(frame) {
    this.held.push(frame);
    this.#pump(1);
  }

  /** That was all: hear it as soon as the server has it. */
  done() {
    if (this.state === "failed") this.live.send({ type: "done", id: this.id, frames: this.frames });
    else this.ending = true;
    this.#pump(A_TICK);
  }

  discard() {
    if (this.id) this.live.send({ type: "discard", id: this.id });
    this.#clear();
    this.onChange();
  }

  /**
   * @param {any} frame `take` or `kept`
   */
  hear(frame) {
    if (frame.type === "kept") this.#kept(frame.next, frame.problem ?? "");
    else if (frame.state === "gone") this.#gone(frame.id);
    else this.#stands(frame);
    this.onChange();
  }

  /** The server refused the last step: what is held stays, and may be tried again. */
  refused() {
    this.waiting = false;
    this.ending = false;
    if (this.state === "recording" && !this.frames) this.#clear();
    this.onChange();
  }

  /** @param {string} id */
  #gone(id) {
    // Of a new socket: the server knows of no answer, and this page has one.
    if (id === "" && this.id && this.state === "recording") this.begin(this.keep ?? false);
    else if (id === this.id || id === "") this.#clear();
  }

  /** @param {any} frame */
  #stands(frame) {
    if (frame.id !== this.id) {
      this.#clear();
      this.id = frame.id;
    }
    this.state = frame.state;
    this.progress = frame.progress ?? 0;
    this.problem = frame.problem ?? "";
    this.review = frame.review ?? null;
    this.waiting = false;
    this.#stored(frame.next ?? 0);
    this.sent = frame.next ?? 0;
    if (frame.state !== "recording") this.ending = false;
    this.#pump(A_TICK);
  }

  /**
   * @param {number} next
   * @param {string} problem
   */
  #kept(next, problem) {
    this.problem = problem;
    this.#stored(next);
    if (!problem || this.waiting) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      this.sent = this.base;
    }, AGAIN_MS);
  }

  /** @param {number} next */
  #stored(next) {
    this.held.splice(0, Math.max(0, next - this.base));
    this.base = next;
  }

  /** @param {number} most */
  #pump(most) {
    if (this.waiting || this.state !== "recording") return;
    for (let count = 0; count < most && this.sent < this.frames; count += 1) {
      if (this.sent - this.base >= IN_FLIGHT || this.live.backlog > BACKLOG_BYTES) return;
      if (!this.live.sendSound(numbered(this.sent, this.held[this.sent - this.base]))) return;
      this.sent += 1;
    }
    if (this.ending && this.sent === this.frames) {
      this.waiting = this.live.send({ type: "done", id: this.id, frames: this.frames });
    }
  }
}

/**
 * @param {number} number
 * @param {Int16Array|undefined} frame
 */
function numbered(number, frame) {
  const samples = frame ?? new Int16Array(0);
  const bytes = new DataView(new ArrayBuffer(4 + 2 * samples.length));
  bytes.setUint32(0, number);
  samples.forEach((sample, at) => bytes.setInt16(4 + 2 * at, sample, true));
  return bytes.buffer;
}
