/* The status line and the fault line of a round: what is going on, in words, announced once. */

import { byId, shown } from "./text.js";

/** What the interviewer is doing; the same words as web/views/room.py. */
const STATUS = /** @type {Record<string, string>} */ ({
  listening: "Your turn.",
  thinking: "The interviewer is thinking.",
  speaking: "The interviewer is speaking.",
  tool: "The interviewer is checking a number with a tool.",
  scoring: "Your answers are being scored.",
  stalled: "The database refuses to write. What you sent before is safe; trying again.",
  over: "The round is over.",
  ready: "Your scorecard is ready.",
});

/**
 * @param {string} words
 * @param {boolean} warning
 */
export function tell(words, warning = false) {
  const line = byId("status");
  if (line.textContent !== words) line.textContent = words;
  line.classList.toggle("amber", warning);
}

/** @param {string} state */
export const tellState = (state) => tell(STATUS[state] ?? state, state === "stalled");

/** @param {string} message empty where nothing is wrong */
export function fault(message) {
  byId("fault").hidden = !message;
  byId("fault").textContent = shown(message);
}

/**
 * @param {import("./live.js").State} state of the connection
 * @param {number} wait in milliseconds
 */
export function tellConnection(state, wait) {
  byId("taken-over").hidden = state !== "taken";
  const seconds = Math.max(1, Math.round(wait / 1000));
  const words = {
    connecting: "",
    open: "",
    waiting: `Not connected. Your words stay here; trying again in ${seconds} s. If this lasts, load the page again.`,
    offline: "You are offline. Your words stay here, and go out when the connection is back.",
    taken: "The round goes on elsewhere. Your words stay here.",
    gone: "This round is not known here any more.",
    refused: "Your session has ended. Load the page again to log in; your words stay here.",
  }[state];
  if (words) tell(words, true);
}
