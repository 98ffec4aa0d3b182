/* The conversation's scroll, and the turn that is being spoken at its end. */

import { byId, points, shown } from "./text.js";

const NEAR_PX = 80;
const talk = byId("talk");
const speech = byId("speech");

/** @type {string[]} code points of the turn being spoken */
let spoken = [];

/** @returns {boolean} whether the newest words are in sight, so that newer ones should be too */
export const atBottom = () => talk.scrollHeight - talk.scrollTop - talk.clientHeight < NEAR_PX;

export function toBottom() {
  talk.scrollTop = talk.scrollHeight;
}

/**
 * @param {number} offset in code points
 * @param {string} text
 */
export function speak(offset, text) {
  const follow = atBottom();
  spoken = spoken.slice(0, offset).concat(points(text));
  speech.hidden = spoken.length === 0;
  byId("speech-text").textContent = shown(spoken.join(""));
  if (follow) toBottom();
}
