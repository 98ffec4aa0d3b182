/* The round page: puts socket, clock, conversation and composer together. */

import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { actions } from "./keys.js";
import { Live } from "./live.js";
import { byId, newId, points, shown } from "./text.js";
import { entry } from "./turns.js";

const STATUS = /** @type {Record<string, string>} */ ({
  listening: "Your turn.",
  thinking: "The interviewer is thinking.",
  speaking: "The interviewer is speaking.",
  tool: "The interviewer is checking a number with a tool.",
  scoring: "Your answers are being scored.",
  over: "The round is over.",
});
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

const composer = new Composer((frame) => live.send(frame));
const clock = new Clock((words) => tell(words));
const live = new Live(`${location.pathname}/live`, { after: Number(seen.after), at: seen.at ?? "" }, hear, connection);

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
  if (event.type === "RoundEnded") form.hidden = true;
  if (event.type === "RoundScored") finished();
  if (seq === head) composer.resend();
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
  for (const id of ["think", "move-on"]) button(id).disabled = talking;
  if (state === "scoring" || state === "over") form.hidden = true;
  tell(STATUS[state] ?? state);
  if (state !== "listening") clock.set(null);
}

function finished() {
  form.hidden = true;
  byId("over").hidden = false;
  tell("Your scorecard is ready.");
}

/** @param {string} id */
const button = (id) => /** @type {HTMLButtonElement} */ (byId(id));

/**
 * @param {string} words
 * @param {boolean} warning
 */
function tell(words, warning = false) {
  const line = byId("status");
  if (line.textContent !== words) line.textContent = words;
  line.classList.toggle("amber", warning);
}

/** @param {string} message */
function fault(message) {
  byId("fault").hidden = !message;
  byId("fault").textContent = shown(message);
}

/**
 * @param {import("./live.js").State} state
 * @param {number} wait
 */
function connection(state, wait) {
  byId("taken-over").hidden = state !== "taken";
  const seconds = Math.max(1, Math.round(wait / 1000));
  const words = {
    connecting: "",
    open: STATUS[status],
    waiting: `Not connected. Your words stay here; trying again in ${seconds} s.`,
    offline: "You are offline. Your words stay here and are sent when the connection is back.",
    taken: "",
    gone: "This round is not known here any more.",
    refused: "Your session has ended. Load the page again to log in; your words stay here.",
  }[state];
  if (words) tell(words, state !== "open");
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
  think: () => live.send({ type: "think", id: newId() }),
  move_on: () => live.send({ type: "move_on", id: newId() }),
  finish: askToFinish,
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const pressed = /** @type {HTMLButtonElement|null} */ (event.submitter);
  commands[pressed?.value || "say"]?.();
});
button("stop").addEventListener("click", () => live.send({ type: "stop" }));
button("sure-yes").addEventListener("click", () => {
  sure.close();
  live.send({ type: "finish", id: newId() });
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
  if (["thinking", "speaking", "tool"].includes(status)) live.send({ type: "stop" });
  else /** @type {HTMLElement} */ (document.activeElement)?.blur();
});
Object.assign(actions, { a: () => byId("answer").focus(), t: commands.think, m: commands.move_on, f: askToFinish });
