/* Single-letter keys, the overlay that lists them with its off-switch, and the dark mode switch. On every page. */

import { recall, remember } from "./kept.js";
import { byId } from "./text.js";

const OFF = "keys-off";
const THEME = "theme";
const WAIT_MS = 1200;
const overlay = /** @type {HTMLDialogElement} */ (byId("keys"));

/** @type {Record<string, () => void>} what a page adds: a letter and what it does */
export const actions = {};

/** @type {Record<string, () => void>} what a letter does when it is let go of */
export const releases = {};

const home = /** @type {HTMLAnchorElement} */ (document.querySelector("a.brand")).href.replace(/\/$/, "");
const places = /** @type {Record<string, string>} */ ({ h: `${home}/`, q: `${home}/questions`, d: `${home}/drills`, r: `${home}/rounds`, p: `${home}/progress`, t: `${home}/tools`, f: `${home}/figures` });
let going = 0;

const on = /** @type {HTMLInputElement} */ (byId("keys-on"));
on.checked = recall(OFF, "no") !== "yes";
on.addEventListener("change", () => remember(OFF, on.checked ? "no" : "yes"));

const theme = recall(THEME, "system");
for (const radio of document.querySelectorAll("input[name=theme]")) {
  const choice = /** @type {HTMLInputElement} */ (radio);
  choice.checked = choice.value === theme;
  choice.addEventListener("change", () => {
    remember(THEME, choice.value);
    if (choice.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice.value;
  });
}

for (const button of document.querySelectorAll("button.script")) /** @type {HTMLElement} */ (button).hidden = false;

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-open], [data-close]") : null;
  if (button instanceof HTMLElement && button.dataset.open) /** @type {HTMLDialogElement} */ (byId(button.dataset.open)).showModal();
  else button?.closest("dialog")?.close();
});

/** @param {EventTarget|null} target */
const typing = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || typing(event.target)) return;
  if (!on.checked || document.querySelector("dialog[open]")) return;
  if (Date.now() < going && places[event.key]) {
    location.assign(places[event.key]);
    return;
  }
  going = event.key === "g" ? Date.now() + WAIT_MS : 0;
  const act = event.key === "?" ? () => overlay.showModal() : actions[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("keyup", (event) => releases[event.key]?.());
