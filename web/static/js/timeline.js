/* A timeline that plays: a click on the drawing starts the sound there, and a line goes along with it. */

import { byId } from "./text.js";

for (const figure of document.querySelectorAll("figure.timeline[data-sound]")) join(/** @type {HTMLElement} */ (figure));

for (const button of document.querySelectorAll("button[data-play]")) {
  const { play, at } = /** @type {HTMLElement} */ (button).dataset;
  button.addEventListener("click", () => playFrom(/** @type {HTMLAudioElement} */ (byId(play ?? "")), Number(at)));
}

/** @param {HTMLElement} figure */
function join(figure) {
  const sound = /** @type {HTMLAudioElement} */ (byId(figure.dataset.sound ?? ""));
  const seconds = Number(figure.dataset.seconds);
  for (const drawing of figure.querySelectorAll("svg")) {
    drawing.addEventListener("click", (event) => playFrom(sound, seconds * share(figure, drawing, event.clientX)));
  }
  sound.addEventListener("timeupdate", () => {
    figure.classList.toggle("plays", sound.currentTime > 0);
    for (const drawing of figure.querySelectorAll("svg")) move(figure, drawing, sound.currentTime / seconds);
  });
}

/**
 * @param {HTMLElement} figure
 * @param {SVGSVGElement} drawing
 * @returns {[number, number, number]} left edge, right edge and width of the drawing, in its own pixels
 */
function edges(figure, drawing) {
  const width = drawing.viewBox.baseVal.width;
  return [Number(figure.dataset.left), width - Number(figure.dataset.right), width];
}

/**
 * @param {HTMLElement} figure
 * @param {SVGSVGElement} drawing
 * @param {number} clientX
 */
function share(figure, drawing, clientX) {
  const [left, right, width] = edges(figure, drawing);
  const box = drawing.getBoundingClientRect();
  const x = ((clientX - box.left) / box.width) * width;
  return Math.min(1, Math.max(0, (x - left) / (right - left)));
}

/**
 * @param {HTMLElement} figure
 * @param {SVGSVGElement} drawing
 * @param {number} part of the whole, from 0 to 1
 */
function move(figure, drawing, part) {
  const [left, right] = edges(figure, drawing);
  const x = String(left + (right - left) * Math.min(1, part));
  const line = drawing.querySelector(".playhead");
  line?.setAttribute("x1", x);
  line?.setAttribute("x2", x);
}

/**
 * @param {HTMLAudioElement} sound
 * @param {number} seconds
 */
function playFrom(sound, seconds) {
  sound.currentTime = seconds;
  void sound.play().catch(() => undefined);
}
