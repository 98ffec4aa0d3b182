/* Plays a round back: shows its turns one after the other, in the time that they took. Without it all of them stand there. */

import { byId } from "./text.js";

const LONGEST_PAUSE_S = 20;
const moments = /** @type {HTMLElement[]} */ ([...byId("moments").children]);
const at = moments.map((moment) => Number(moment.dataset.at));
const place = /** @type {HTMLInputElement} */ (byId("place"));
const speed = /** @type {HTMLSelectElement} */ (byId("speed"));
const play = byId("play");
let timer = 0;

/** @param {number} count how many moments are shown, from the first on */
function show(count) {
  for (const [number, moment] of moments.entries()) moment.hidden = number >= count;
  place.value = String(count);
  const clock = moments[count - 1]?.querySelector(".at")?.textContent ?? "";
  byId("where").textContent = `${clock}, ${count} of ${moments.length}`;
  place.setAttribute("aria-valuetext", `${clock}, ${count} of ${moments.length}`);
}

function stop() {
  clearTimeout(timer);
  timer = 0;
  play.textContent = "Play";
}

/** Waits as long as it took then, and shows what came next. */
function goOn() {
  const count = Number(place.value);
  if (count >= moments.length) {
    stop();
    return;
  }
  const pause = Math.min(LONGEST_PAUSE_S, at[count] - at[count - 1]);
  timer = window.setTimeout(() => {
    show(count + 1);
    moments[count].scrollIntoView({ block: "nearest" });
    goOn();
  }, (pause * 1000) / Number(speed.value));
}

play.addEventListener("click", () => {
  if (timer) {
    stop();
    return;
  }
  if (Number(place.value) >= moments.length) show(1);
  play.textContent = "Pause";
  goOn();
});
place.addEventListener("input", () => {
  stop();
  show(Number(place.value));
});
byId("all").addEventListener("click", () => {
  stop();
  show(moments.length);
});
byId("player").hidden = moments.length < 2;
