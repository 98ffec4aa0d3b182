/* How the panel for speaking looks in each state: which buttons there are, and what it says. */

import { whyNot } from "./microphone.js";
import { byId, minutes, shown } from "./text.js";

const LATE_FRAMES = 30;
const CAPTION = 280;

/**
 * @typedef {{take: import("./take.js").Take, recording: boolean, opening: boolean, trouble: string, settings: {keep: boolean}}} View
 */

/** @param {View} view */
export function show(view) {
  const { take, recording, opening, trouble } = view;
  const refusal = whyNot();
  const busy = take.ending || take.state === "hearing";
  button("voice-start", !recording && !busy && !refusal, { none: "Speak ", recording: "Go on " }[String(take.state)] ?? "Speak on ").disabled = opening;
  button("voice-pause", recording, "Pause ");
  button("voice-done", canEnd(take, recording), take.state === "failed" ? "Try again " : "Done ");
  button("voice-discard", take.state !== "none", "Discard");
  byId("voice").classList.toggle("on-air", recording);
  byId("voice-level").hidden = !recording;
  byId("voice-caption").hidden = take.state !== "recording";
  if (take.state !== "recording") byId("voice-caption").textContent = "";
  tell(trouble || take.problem || (take.state === "none" && refusal) || words(view));
  const progress = /** @type {HTMLProgressElement} */ (byId("voice-progress"));
  progress.hidden = !busy;
  progress.value = take.ending ? take.base / Math.max(1, take.frames) : take.progress;
  showTime(take);
}

/** @param {import("./take.js").Take} take */
export function showTime(take) {
  const text = take.frames ? minutes(take.frames / 10) : "";
  const time = byId("voice-time");
  if (time.textContent !== text) time.textContent = text;
}

/**
 * The last words as they are recognised, for the eye only.
 * @param {string} text of one stretch of speech
 */
export function caption(text) {
  const line = byId("voice-caption");
  line.textContent = shown(`${line.textContent} ${text}`).slice(-CAPTION);
}

/**
 * @param {import("./take.js").Take} take
 * @param {boolean} recording
 */
function canEnd(take, recording) {
  if (take.ending || !take.frames) return false;
  return recording || take.state === "recording" || take.state === "failed";
}

/** @param {View} view */
function words({ take, recording, opening, settings }) {
  if (opening) return "Opening the microphone.";
  if (take.unstored > LATE_FRAMES) {
    const seconds = Math.round(take.unstored / 10);
    return `${seconds} s of what you said are not on the server yet. They go out as the connection allows: keep this page open.`;
  }
  if (recording) return `Recording. Your answer ends when you press Done.${settings.keep ? " Its sound is kept." : ""}`;
  if (take.ending) return "Handing over what you said.";
  return {
    none: "",
    recording: "Paused. Go on, or press Done.",
    hearing: "Writing down what you said. The clock stands still.",
    heard: "Check what was heard, correct it in the box, then send. The clock stands still.",
    failed: "",
  }[take.state];
}

/** @param {string} text */
function tell(text) {
  const line = byId("voice-words");
  if (line.textContent !== text) line.textContent = text;
}

/**
 * @param {string} id
 * @param {boolean} wanted
 * @param {string} label
 */
function button(id, wanted, label) {
  const found = /** @type {HTMLButtonElement} */ (byId(id));
  if (found.firstChild?.textContent !== label) found.firstChild?.replaceWith(label);
  // Who pressed a button that goes away keeps their place: the focus moves on to the next one.
  const focused = document.activeElement === found;
  found.hidden = !wanted;
  if (focused && !wanted) nextButton()?.focus();
  return found;
}

/** @returns {HTMLElement|null} */
const nextButton = () => document.querySelector("#voice-buttons button:not([hidden])");
