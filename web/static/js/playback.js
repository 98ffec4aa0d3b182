/* Plays a round back: shows its turns one after the other, in the time that they took. Without it all of them stand there. */

import { byId } from "./text.js";

const LONGEST_PAUSE_S = 20;
const FASTEST_SOUND = 4;
const moments = /** @type {HTMLElement[]} */ ([...byId("moments").children]);
const at = moments.map((moment) => Number(moment.dataset.at));
const place = /** @type {HTMLInputElement} */ (byId("place"));
const speed = /** @type {HTMLSelectElement} */ (byId("speed"));
const play = byId("play");
let timer = 0;
let playing = false;
/** @type {HTMLAudioElement|null} of the moment at hand */
let sound = null;

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
  playing = false;
  if (sound) {
    sound.onended = null;
    sound.pause();
  }
  play.textContent = "Play";
}

/**
 * Shows the next moment and, where its sound is kept, plays that before going on.
 * @param {HTMLElement} moment
 */
function showNext(moment) {
  show(Number(place.value) + 1);
  moment.scrollIntoView({ block: "nearest" });
  sound = moment.querySelector("audio");
  if (!sound) {
    goOn();
    return;
  }
  sound.playbackRate = Math.min(FASTEST_SOUND, Number(speed.value));
  sound.onended = goOn;
  // Where the sound is gone, or the browser plays none, the words go on.
  sound.play().catch(() => playing && goOn());
}

/** Waits as long as it took then; the sound of an answer takes that time itself. */
function goOn() {
  const count = Number(place.value);
  if (count >= moments.length) {
    stop();
    return;
  }
  const heard = moments[count].querySelector("audio") !== null;
  const pause = heard ? 0 : Math.min(LONGEST_PAUSE_S, at[count] - at[count - 1]);
  timer = window.setTimeout(() => showNext(moments[count]), (pause * 1000) / Number(speed.value));
}

play.addEventListener("click", () => {
  if (playing) {
    stop();
    return;
  }
  if (Number(place.value) >= moments.length) show(1);
  playing = true;
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
