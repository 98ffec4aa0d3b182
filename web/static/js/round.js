/* The round page: puts socket, clock, conversation and composer together. */

import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { actions } from "./keys.js";
import { Live } from "./live.js";
import { fault, tell, tellConnection, tellState } from "./status.js";
import { byId, newId, points, shown } from "./text.js";
import { entry } from "./turns.js";

const NEAR_PX = 80;

const seen = byId("words").dataset;
const log = byId("log");
const talk = byId("talk");
const speech = byId("speech");
const speechText = byId("speech-text");
const sure = /** @type {HTMLDialogElement} */ (byId("sure"));
const form = /** @type {HTMLFormElement} */ (byId("composer"));

/** @type {string[]} code points of the turn being spoken */
let spoken = [];
let status = seen.status ?? "listening";
let head = 0;
let scored = false;

const composer = new Composer((frame) => live.send(frame));
const clock = new Clock((words) => tell(words));
const live = new Live(`${location.pathname}/live`, { after: Number(seen.after), at: seen.at ?? "" }, hear, connected);

const { limit, left, over } = byId("clock").dataset;
if (limit) clock.set({ limit_s: Number(limit), left_s: Number(left), over_s: Number(over), warning: null });
talk.scrollTop = talk.scrollHeight;
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
    case "ack":
      return composer.stored(frame.id);
    case "problem":
      composer.refused(frame.id);
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
    if (follow || event.type === "CandidateSpoke") talk.scrollTop = talk.scrollHeight;
  }
  if (event.type === "CandidateSpoke" || event.type === "CandidateMovedOn") fault("");
  if (event.type === "ModelFailed" && event.role === "interviewer") asker("card");
  if (event.type === "RoundEnded") form.hidden = true;
  if (event.type === "RoundScored") finished();
  if (seq === head) composer.resend();
}

/** @param {string} name */
function asker(name) {
  byId("asker").textContent = name === "card" ? "the card interviewer" : shown(name);
}

/**
 * @param {number} offset in code points
 * @param {string} text
 */
function speak(offset, text) {
  const follow = atBottom();
  spoken = spoken.slice(0, offset).concat(points(text));
  speech.hidden = spoken.length === 0;
  speechText.textContent = shown(spoken.join(""));
  if (follow) talk.scrollTop = talk.scrollHeight;
}

const atBottom = () => talk.scrollHeight - talk.scrollTop - talk.clientHeight < NEAR_PX;

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
  if (state === "open") tellState(scored ? "ready" : status);
}

/** @param {object} frame for which nothing is kept: it is lost where there is no connection, and the page says so */
function ask(frame) {
  fault(live.send(frame) ? "" : "Not connected just now: press it again in a moment.");
}

function send() {
  const refusal = composer.refusal;
  fault(refusal);
  if (!refusal) composer.say();
}

function askToFinish() {
  byId("sure-draft").hidden = !composer.text;
  sure.showModal();
}

const commands = /** @type {Record<string, () => void>} */ ({
  say: send,
  think: () => ask({ type: "think", id: newId() }),
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
Object.assign(actions, { a: () => byId("answer").focus(), t: commands.think, m: commands.move_on, f: askToFinish });
