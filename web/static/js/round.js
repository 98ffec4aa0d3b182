/* The round page: puts socket, clock, conversation and composer together. */

import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { actions, releases } from "./keys.js";
import { Live } from "./live.js";
import { Speaker } from "./speaker.js";
import { fault, tell, tellConnection, tellState } from "./status.js";
import { atBottom, speak, toBottom } from "./talk.js";
import { byId, newId, shown } from "./text.js";
import { entry } from "./turns.js";
import { Voice } from "./voice.js";

const seen = byId("words").dataset;
const log = byId("log");
const sure = /** @type {HTMLDialogElement} */ (byId("sure"));
const form = /** @type {HTMLFormElement} */ (byId("composer"));

let status = seen.status ?? "listening";
let head = 0;
let scored = false;

const composer = new Composer((frame) => live.send(frame));
const clock = new Clock((words) => tell(words));
const live = new Live(`${location.pathname}/live`, { after: Number(seen.after), at: seen.at ?? "" }, hear, connected);

const voice = document.getElementById("voice") ? new Voice(live, composer, begin) : null;
// Who begins to type at once must not press "Move on" by its key; who speaks needs the keys.
if (!voice && matchMedia("(pointer: fine)").matches) byId("answer").focus();
const speaker = new Speaker(() => voice?.recording ?? false);

const { limit, left, over } = byId("clock").dataset;
if (limit) clock.set({ limit_s: Number(limit), left_s: Number(left), over_s: Number(over), warning: null });
toBottom();
live.connect();

/** @param {any} frame */
function hear(frame) {
  switch (frame.type) {
    case "hello":
      return hello(frame);
    case "event":
      return happened(frame.seq, frame.event);
    case "delta":
      return speak(frame.offset, frame.text);
    case "take":
    case "kept":
    case "caption":
      return voice?.hear(frame);
    case "ack":
      return composer.stored(frame.id);
    case "problem":
      composer.refused(frame);
      voice?.refused(frame);
      return fault(frame.message);
    case "clock":
      return clock.set(frame);
    case "status":
      return setStatus(frame.state);
  }
}

/** @param {any} frame */
function hello(frame) {
  head = frame.head;
  fault("");
  if (frame.resync) log.replaceChildren();
  asker(frame.interviewer);
  speak(0, "");
  clock.set(frame.clock);
  setStatus(frame.status);
  if (live.cursor.after >= head) composer.resend();
}

/**
 * @param {number} seq
 * @param {any} event
 */
function happened(seq, event) {
  if (event.client_id) composer.stored(event.client_id);
  const item = entry(seq, event);
  if (item) {
    const follow = atBottom();
    if (event.type === "InterviewerSpoke" || event.type === "SpeechInterrupted") speak(0, "");
    log.append(item);
    if (follow || event.type === "CandidateSpoke") toBottom();
  }
  if (event.type === "CandidateSpoke" || event.type === "CandidateMovedOn") fault("");
  if (event.type === "InterviewerSpoke" && seq >= head) speaker.say(event.text);
  if (event.type === "ModelFailed" && event.role === "interviewer") asker("card");
  if (event.type === "RoundEnded") form.hidden = true;
  if (event.type === "RoundScored") finished();
  if (seq === head) composer.resend();
}

/** @param {string} name */
function asker(name) {
  byId("asker").textContent = name === "card" ? "the card interviewer" : shown(name);
}

/** @param {string} state */
function setStatus(state) {
  status = state;
  const talking = ["thinking", "speaking", "tool"].includes(state);
  button("stop").disabled = !talking;
  button("think").disabled = talking;
  if (state === "scoring" || state === "over") form.hidden = true;
  tellState(scored ? "ready" : state);
  if (state !== "listening") clock.set(null);
  byId("clock").hidden = form.hidden;
}

function finished() {
  form.hidden = true;
  byId("over").hidden = false;
  scored = true;
  tellState("ready");
}

/** @param {string} id */
const button = (id) => /** @type {HTMLButtonElement} */ (byId(id));

/**
 * @param {import("./live.js").State} state
 * @param {number} wait in milliseconds
 */
function connected(state, wait) {
  tellConnection(state, wait);
  if (["taken", "gone", "refused"].includes(state)) voice?.pause();
  if (state === "open") tellState(scored ? "ready" : status);
}

/** @param {object} frame for which nothing is kept: it is lost where there is no connection, and the page says so */
function ask(frame) {
  fault(live.send(frame) ? "" : "Not connected just now: press it again in a moment.");
}

/** The person begins to speak or write: the interviewer falls silent. */
function begin() {
  speaker.silence();
  if (voice && ["thinking", "speaking", "tool"].includes(status)) ask({ type: "stop" });
}

function send() {
  const refusal = composer.refusal;
  fault(refusal);
  if (!refusal) composer.say();
}

function askToFinish() {
  byId("sure-draft").hidden = !composer.text;
  byId("sure-take").hidden = !voice?.take.frames;
  sure.showModal();
}

const commands = /** @type {Record<string, () => void>} */ ({
  say: send,
  think: () => {
    voice?.think();
    ask({ type: "think", id: newId() });
  },
  move_on: () => ask({ type: "move_on", id: newId() }),
  finish: askToFinish,
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const pressed = /** @type {HTMLButtonElement|null} */ (event.submitter);
  commands[pressed?.value || "say"]?.();
});
button("stop").addEventListener("click", () => ask({ type: "stop" }));
button("sure-yes").addEventListener("click", () => {
  sure.close();
  ask({ type: "finish", id: newId() });
});
button("take-over").addEventListener("click", () => live.connect());
byId("answer").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    send();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open], :popover-open")) return;
  if (["thinking", "speaking", "tool"].includes(status)) ask({ type: "stop" });
  else /** @type {HTMLElement} */ (document.activeElement)?.blur();
});
byId("answer").addEventListener("input", () => speaker.silence());
Object.assign(actions, { a: () => byId("answer").focus(), t: commands.think, m: commands.move_on, f: askToFinish });
if (voice) {
  Object.assign(actions, { s: () => voice.toggle(), d: () => voice.done(), v: () => voice.hold() });
  releases.v = () => voice.release();
}
