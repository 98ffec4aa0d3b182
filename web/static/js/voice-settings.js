/* Before the first spoken answer, and whenever asked for: the check of the microphone, what is kept, what ends an answer. */

import { recall, remember } from "./kept.js";
import { Microphone } from "./microphone.js";
import { byId } from "./text.js";

const CHECK_FRAMES = 30;
const QUIETEST_DB = -60;
const TOO_QUIET_DB = -50;

export class VoiceSettings {
  /**
   * @param {import("./live.js").Live} live
   * @param {import("./take.js").Take} take
   * @param {import("./silence.js").Silence} silence
   * @param {URL} worklet
   */
  constructor(live, take, silence, worklet) {
    this.dialog = /** @type {HTMLDialogElement} */ (byId("voice-settings"));
    this.address = byId("voice").dataset.check ?? "";
    this.round = `keep:${byId("voice").dataset.round}`;
    this.keepBox = /** @type {HTMLInputElement} */ (byId("voice-keep"));
    this.ends = /** @type {HTMLSelectElement} */ (byId("voice-silence"));
    this.heard = byId("check-heard");
    /** @type {Int16Array[]} */
    this.frames = [];
    this.loudest = -120;
    this.microphone = new Microphone(worklet, (frame, level) => this.#frame(frame, level), (words) => this.#tell(words));
    this.keepBox.checked = recall(this.round, recall("keep", "no")) === "yes";
    this.keepBox.addEventListener("change", () => this.#kept(live, take));
    this.ends.value = recall("voice-silence", "0");
    silence.after = Number(this.ends.value);
    this.ends.addEventListener("change", () => {
      silence.after = Number(this.ends.value);
      remember("voice-silence", this.ends.value);
    });
    byId("check-start").addEventListener("click", () => void this.#check());
    this.dialog.addEventListener("close", () => this.microphone.stop());
  }

  get keep() {
    return this.keepBox.checked;
  }

  /** Before the first spoken answer: then the dialog leads on to speaking. */
  open() {
    byId("voice-ready").hidden = false;
    this.dialog.showModal();
  }

  close() {
    remember("voice-checked", "yes");
    byId("voice-ready").hidden = true;
    this.dialog.close();
  }

  /**
   * @param {import("./live.js").Live} live
   * @param {import("./take.js").Take} take
   */
  #kept(live, take) {
    const wish = this.keep ? "yes" : "no";
    // The first answer to the question holds for the rounds to come, a later one for this round.
    if (recall("keep", "") === "") remember("keep", wish);
    remember(this.round, wish);
    if (take.id) live.send({ type: "keep", id: take.id, keep: this.keep });
  }

  async #check() {
    this.frames = [];
    this.loudest = -120;
    this.#tell("Say: the cache grows with every token.");
    try {
      await this.microphone.start();
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * @param {Int16Array} frame
   * @param {number} level in dB
   */
  #frame(frame, level) {
    this.frames.push(frame);
    this.loudest = Math.max(this.loudest, level);
    /** @type {HTMLMeterElement} */ (byId("check-level")).value = Math.max(0, 1 - level / QUIETEST_DB);
    if (this.frames.length < CHECK_FRAMES) return;
    this.microphone.stop();
    void this.#read();
  }

  async #read() {
    if (this.loudest < TOO_QUIET_DB) {
      this.#tell("Almost nothing was heard: turn the microphone up, or speak closer to it.");
      return;
    }
    this.#tell("Writing it down.");
    const sound = new Blob(this.frames.map((frame) => new Uint8Array(frame.buffer)));
    try {
      const answer = await fetch(this.address, { method: "POST", body: sound, headers: { "content-type": "application/octet-stream" } });
      const said = await answer.json();
      if (!answer.ok) this.#tell(said.message);
      else this.#tell(said.text ? `Heard: ${said.text}` : "Sound came in, but no words were heard in it. Try again, a little louder.");
    } catch {
      this.#tell("The server did not answer. Try again in a moment.");
    }
  }

  /** @param {string} words */
  #tell(words) {
    if (words) this.heard.textContent = words;
  }
}
