/* The clock as the page shows it. The server's frames are the truth; between them the page only counts on. */

import { byId, minutes } from "./text.js";

const WORDS = {
  half: "Half of the time is left",
  thirty: "30 seconds left",
  over: "over time",
};

/**
 * @typedef {{limit_s: number|null, left_s: number|null, over_s: number, warning: "half"|"thirty"|"over"|null, held?: boolean}} ClockFrame
 */

export class Clock {
  /** @param {(words: string) => void} announce called once for each warning */
  constructor(announce) {
    this.announce = announce;
    this.box = byId("clock");
    this.time = byId("clock-time");
    this.words = byId("clock-words");
    /** @type {ClockFrame|null} */
    this.frame = null;
    this.readAt = 0;
    this.said = "";
    setInterval(() => this.#show(), 250);
  }

  /** @param {ClockFrame|null} frame null where nothing is to be answered */
  set(frame) {
    const running = frame && frame.limit_s !== null ? frame : null;
    if (!running || running.limit_s !== this.frame?.limit_s || (running.left_s ?? 0) > (this.frame?.left_s ?? 0) + 1) this.said = "";
    this.frame = running;
    this.readAt = performance.now();
    this.#show();
  }

  #show() {
    if (!this.frame) {
      this.#paint("", "–:––", "");
      return;
    }
    const gone = this.frame.held ? 0 : (performance.now() - this.readAt) / 1000;
    const limit = this.frame.limit_s ?? 0;
    const left = (this.frame.left_s ?? 0) - this.frame.over_s - gone;
    const level = left <= 0 ? "over" : left <= 30 && limit > 30 ? "thirty" : left <= limit / 2 ? "half" : "";
    const time = left > 0 ? minutes(Math.ceil(left)) : `+${minutes(-left)}`;
    this.#paint(level, time, this.frame.held ? "it stands still" : level ? WORDS[level] : `of ${minutes(limit)}`);
    if (level && level !== this.said) {
      this.said = level;
      this.announce(level === "over" ? "Time is up. Finish your sentence; what runs over is kept and marked." : `${WORDS[level]}.`);
    }
  }

  /**
   * @param {string} level
   * @param {string} time
   * @param {string} words
   */
  #paint(level, time, words) {
    this.box.className = `clock ${level}`;
    if (this.time.textContent !== time) this.time.textContent = time;
    if (this.words.textContent !== words) this.words.textContent = words;
  }
}
