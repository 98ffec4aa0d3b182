/* Redraws a live figure while a slider moves: fetches the form's own address and puts in what is new. */

import { byId } from "./text.js";

const form = /** @type {HTMLFormElement|null} */ (document.getElementById("settings"));
const WAIT_MS = 60;
let timer = 0;
/** @type {AbortController|undefined} */
let asked;

/** The address of the figure as it is set now. */
function address() {
  if (!form) return location.href;
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) query.append(name, String(value));
  return `${location.pathname}?${query}`;
}

function sayValues() {
  for (const output of form?.querySelectorAll("output") ?? []) {
    const slider = /** @type {HTMLInputElement} */ (byId(output.htmlFor.value));
    const unit = output.dataset.unit ? ` ${output.dataset.unit}` : "";
    output.value = `${Number(slider.value).toLocaleString("en")}${unit}`;
  }
}

/** @param {Document} fresh a step slider's end follows from the other settings */
function takeBounds(fresh) {
  for (const slider of form?.querySelectorAll("input[type=range]") ?? []) {
    const other = fresh.getElementById(slider.id);
    if (slider instanceof HTMLInputElement && other instanceof HTMLInputElement) slider.max = other.max;
  }
  sayValues();
}

async function redraw() {
  asked?.abort();
  asked = new AbortController();
  const target = address();
  const shown = byId("shown");
  shown.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(target, { signal: asked.signal, headers: { accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = fresh.getElementById("shown");
    if (!answer.ok || !part) {
      location.assign(target);
      return;
    }
    shown.replaceChildren(...part.childNodes);
    takeBounds(fresh);
    history.replaceState(null, "", target);
    for (const state of document.getElementsByName("state")) /** @type {HTMLInputElement} */ (state).value = target.split("?")[1] ?? "";
    byId("copied").textContent = "";
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    byId("copied").textContent = "The server does not answer; the picture is of the last setting.";
  }
  shown.removeAttribute("aria-busy");
}

form?.addEventListener("input", (event) => {
  sayValues();
  // A text is complete when it is left; a slider at each of its steps.
  if (event.target instanceof Element && event.target.matches("textarea, input:not([type=range], [type=radio])")) return;
  clearTimeout(timer);
  timer = window.setTimeout(redraw, WAIT_MS);
});
form?.addEventListener("change", () => {
  clearTimeout(timer);
  timer = window.setTimeout(redraw, WAIT_MS);
});
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  void redraw();
});

// A step's link moves the slider, redraws, and stays under the finger.
byId("shown").addEventListener("click", async (event) => {
  const link = event.target instanceof Element ? event.target.closest(".walk a") : null;
  if (!(link instanceof HTMLAnchorElement) || !form || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  for (const [name, value] of new URL(link.href).searchParams) {
    const slider = form.elements.namedItem(name);
    if (slider instanceof HTMLInputElement && slider.type === "range") slider.value = value;
  }
  sayValues();
  const words = link.textContent;
  await redraw();
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".walk a")]);
  (links.find((other) => other.textContent === words) ?? links[0])?.focus();
});
