/* One spoken answer on its way to the server: frames are kept here until the server has them on its disk. */

import { Held } from "./held.js";
import { newId } from "./text.js";

const TICK_MS = 100;
const A_TICK = 20;
const IN_FLIGHT = 100;
const BACKLOG_BYTES = 256 * 1024;
const AGAIN_MS = 2000;
const SAVE_FRAMES = 5;

/** @typedef {"none"|"recording"|"hearing"|"heard"|"failed"} TakeState */

export class Take {
  /**
   * @param {import("./live.js").Live} live
   * @param {() => void} onChange
   * @param {string} round
   */
  constructor(live, onChange, round) {
    this.live = live;
    this.onChange = onChange;
    this.store = new Held(round);
    this.#clear();
    setInterval(() => this.#pump(A_TICK), TICK_MS);
    addEventListener("beforeunload", (event) => this.unstored > 5 && event.preventDefault());
  }

  #clear() {
    if (this.saved) void this.store.drop();
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
    /** Frames before this number are the server's, or safe in the browser's database. */
    this.saved = 0;
    /** @type {Promise<Int16Array[]>|null} what an earlier page left, while the database is asked for it */
    this.restoring = null;
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
    this.#save();
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
    if (this.state === "recording" && !this.frames && !this.restoring) this.#clear();
    this.onChange();
  }

  /** @param {string} id */
  #gone(id) {
    // Of a new socket: the server knows of no answer, and this page has one.
    if (id === "" && this.id && this.state === "recording") this.begin(this.keep ?? false);
    else if (id === this.id || id === "") this.#clear();
    if (!this.id) void this.store.drop();
  }

  /** @param {any} frame */
  #stands(frame) {
    if (frame.id !== this.id) {
      this.#clear();
      this.id = frame.id;
      if (frame.state === "recording") void this.#restore(frame.next ?? 0);
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
    // While an earlier page's frames are awaited, those held here are not the ones from `base` on.
    if (!this.restoring) this.held.splice(0, Math.max(0, next - this.base));
    this.base = next;
    this.sent = Math.max(this.sent, next);
    if (this.saved) void this.store.drop(this.id, next);
    if (this.saved <= next) this.saved = 0;
  }

  /** Where the server is slow or away, what it lacks goes into the browser's database. */
  #save() {
    if (this.restoring) return;
    const from = Math.max(this.saved, this.base);
    if (this.frames - from < SAVE_FRAMES) return;
    void this.store.hold(this.id, from, this.held.slice(from - this.base));
    this.saved = this.frames;
  }

  /**
   * An earlier page recorded this answer, and may have left frames that the server never got: what is
   * said now comes after them, however long the database takes.
   * @param {number} next
   */
  async #restore(next) {
    const asked = this.store.from(this.id, next);
    this.restoring = asked;
    const left = await asked;
    if (this.restoring !== asked) return;
    this.restoring = null;
    this.held.unshift(...left.slice(Math.max(0, this.base - next)));
    if (left.length) this.saved = next + left.length;
    this.onChange();
    this.#pump(A_TICK);
    this.#save();
  }

  /** @param {number} most */
  #pump(most) {
    if (this.waiting || this.restoring || this.state !== "recording") return;
    for (let count = 0; count < most && this.sent < this.frames; count += 1) {
      if (this.sent - this.base >= IN_FLIGHT || this.live.backlog > BACKLOG_BYTES) return;
      if (!this.live.sendSound(this.sent, this.held[this.sent - this.base])) return;
      this.sent += 1;
    }
    if (this.ending && this.sent === this.frames) {
      this.waiting = this.live.send({ type: "done", id: this.id, frames: this.frames });
    }
  }
}
