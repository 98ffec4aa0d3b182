/* The interviewer's voice: the browser's own speech synthesis, off until it is switched on. Captions stand in the conversation anyway. */

import { recall, remember } from "./kept.js";
import { byId } from "./text.js";

const synthesis = window.speechSynthesis;

export class Speaker {
  /** @param {() => boolean} held whether the person is speaking, so that nothing may be said */
  constructor(held) {
    this.held = held;
    this.on = /** @type {HTMLInputElement} */ (byId("speaker-on"));
    this.voice = /** @type {HTMLSelectElement} */ (byId("speaker-voice"));
    this.rate = /** @type {HTMLInputElement} */ (byId("speaker-rate"));
    this.again = byId("say-again");
    this.last = document.querySelector("#log .interviewer:last-child .said")?.textContent ?? "";
    this.on.checked = recall("speaker", "off") === "on";
    this.rate.value = recall("speaker-rate", "1");
    this.on.addEventListener("change", () => this.#switched());
    this.voice.addEventListener("change", () => remember("speaker-voice", this.voice.value));
    this.rate.addEventListener("change", () => remember("speaker-rate", this.rate.value));
    byId("speaker-try").addEventListener("click", () => this.#speak("This is how I sound."));
    this.again.addEventListener("click", () => this.#speak(this.last));
    synthesis?.addEventListener?.("voiceschanged", () => this.#list());
    addEventListener("pagehide", () => this.silence());
    this.#list();
    this.#shown();
    // A question that has just been asked; a browser that wants a click first stays silent.
    if (document.querySelectorAll("#log > li").length === 1) this.say(this.last);
  }

  /** @param {string} text a finished utterance of the interviewer */
  say(text) {
    this.last = text;
    if (this.on.checked && !this.held()) this.#speak(text);
  }

  /** At once, in mid-word: the person has begun. */
  silence() {
    synthesis?.cancel();
  }

  /** @param {string} text */
  #speak(text) {
    if (!synthesis || !text) return;
    synthesis.cancel();
    const utterance = new SpeechSynthesisUtterance(text);
    const voice = synthesis.getVoices().find((each) => each.voiceURI === this.voice.value);
    if (voice) utterance.voice = voice;
    utterance.lang = voice?.lang ?? "en";
    utterance.rate = Number(this.rate.value);
    synthesis.speak(utterance);
  }

  #switched() {
    remember("speaker", this.on.checked ? "on" : "off");
    if (!this.on.checked) this.silence();
    this.#shown();
  }

  #shown() {
    this.again.hidden = !this.on.checked || !synthesis;
  }

  #list() {
    const voices = (synthesis?.getVoices() ?? []).filter((voice) => voice.lang.toLowerCase().startsWith("en"));
    byId("speaker-none").hidden = voices.length > 0;
    const chosen = recall("speaker-voice", "");
    const options = voices.map((voice) => new Option(`${voice.name} (${voice.lang})`, voice.voiceURI, false, voice.voiceURI === chosen));
    this.voice.replaceChildren(new Option("The browser's own choice", ""), ...options);
    this.voice.value = voices.some((voice) => voice.voiceURI === chosen) ? chosen : "";
  }
}
