/* Ends an answer by silence, where the person asked for that: so many seconds of it after they have spoken. */

const OVER_FLOOR_DB = 12;
const QUIETEST_DB = -65;
const FRAME_S = 0.1;
const RISE = 0.02;
const RISE_IN_SPEECH = 0.001;

export class Silence {
  constructor() {
    /** Seconds of silence that end the answer; 0 for never. */
    this.after = 0;
    this.reset();
  }

  /** A new answer, or one that goes on: nothing has been said yet. */
  reset() {
    this.floor = -50;
    this.spoke = false;
    this.quiet = 0;
  }

  /** "Let me think": no silence ends the answer before speech is heard again. */
  think() {
    this.spoke = false;
    this.quiet = 0;
  }

  /**
   * One more frame of sound.
   * @param {number} level in dB
   * @returns {boolean} whether the silence has lasted long enough
   */
  ends(level) {
    const speaks = level > Math.max(QUIETEST_DB, this.floor + OVER_FLOOR_DB);
    // The floor is the noise of the room: it falls at once and rises slowly, hardly at all in speech.
    const rise = speaks ? RISE_IN_SPEECH : RISE;
    this.floor = level < this.floor ? Math.max(level, -90) : this.floor + rise * (level - this.floor);
    this.spoke ||= speaks;
    this.quiet = speaks ? 0 : this.quiet + FRAME_S;
    return this.after > 0 && this.spoke && this.quiet >= this.after;
  }
}
