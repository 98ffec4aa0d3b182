/* Finished turns as list items, from the same events and by the same rules as web/views/conversation.py. Text only, never HTML. */

import { byId, points, shown } from "./text.js";

const words = byId("words").dataset;

/** @param {string} id */
const clone = (id) => /** @type {HTMLElement} */ (
  /** @type {HTMLTemplateElement} */ (byId(id)).content.firstElementChild?.cloneNode(true)
);

/**
 * @param {number} seq
 * @param {any} event
 * @returns {HTMLElement|null} null for events that the conversation does not show
 */
export function entry(seq, event) {
  switch (event.type) {
    case "InterviewerSpoke":
      return turn(seq, "interviewer", event.text, "", event.figures ?? []);
    case "SpeechInterrupted":
      return turn(seq, "interviewer", event.text, words.stopped ?? "");
    case "CandidateSpoke":
      return turn(seq, "candidate", event.text, event.over_s >= 1 ? `${Math.round(event.over_s)} s over time` : "");
    default: {
      const note = noteOf(event);
      return note ? turn(seq, event.type === "ModelFailed" ? "fault" : "note", note, "") : null;
    }
  }
}

/** @param {any} event */
function noteOf(event) {
  switch (event.type) {
    case "CandidatePaused":
      return words.paused;
    case "CandidateMovedOn":
      return words.movedOn;
    case "RoundEnded":
      return words.ended;
    case "StatementDropped":
      return words.dropped?.replace("{quantity}", () => event.quantity);
    case "ModelFailed":
      return (event.role === "judge" ? words.judgeFailed : words.modelFailed)?.replace("{kind}", () => event.kind.replaceAll("_", " "));
    case "ToolReturned":
      return event.ok ? "" : words.toolFailed;
    default:
      return "";
  }
}

/**
 * @param {number} seq
 * @param {string} kind
 * @param {string} text
 * @param {string} aside
 * @param {any[]} figures
 */
function turn(seq, kind, text, aside, figures = []) {
  const item = clone("entry-template");
  item.classList.add(kind);
  item.dataset.seq = String(seq);
  const who = /** @type {HTMLElement} */ (item.querySelector(".who"));
  if (kind === "interviewer" || kind === "candidate") {
    /** @type {HTMLElement} */ (who.querySelector(".name")).textContent = kind === "candidate" ? "You" : "Interviewer";
    const beside = /** @type {HTMLElement} */ (who.querySelector(".aside"));
    if (aside) beside.textContent = aside;
    else beside.remove();
  } else {
    who.remove();
  }
  fill(/** @type {HTMLElement} */ (item.querySelector(".said")), item, text, figures, `f${seq}`);
  return item;
}

/**
 * The text cut at its grounded numbers.
 * @param {HTMLElement} said
 * @param {HTMLElement} item where the numbers' popovers go
 * @param {string} text
 * @param {any[]} figures
 * @param {string} prefix
 */
function fill(said, item, text, figures, prefix) {
  const letters = points(text);
  let at = 0;
  const cut = (/** @type {number} */ to) => shown(letters.slice(at, to).join(""));
  const inOrder = [...figures].sort((a, b) => a.start - b.start);
  for (const [number, figure] of inOrder.entries()) {
    if (!(at <= figure.start && figure.start < figure.end && figure.end <= letters.length)) continue;
    said.append(cut(figure.start));
    at = figure.start;
    const id = `${prefix}-${number}`;
    const words = cut(figure.end);
    said.append(chip(id, words));
    item.append(figureCard(id, words, figure));
    at = figure.end;
  }
  said.append(cut(letters.length));
}

/**
 * @param {string} id
 * @param {string} text
 */
function chip(id, text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.setAttribute("popovertarget", id);
  const isolated = document.createElement("bdi");
  isolated.textContent = text;
  button.append(isolated);
  return button;
}

/**
 * @param {string} id
 * @param {string} said
 * @param {any} figure
 */
function figureCard(id, said, figure) {
  const card = clone("figure-template");
  card.id = id;
  /** @type {HTMLElement} */ (card.querySelector("bdi")).textContent = said;
  const list = /** @type {HTMLElement} */ (card.querySelector("dl"));
  row(list, "What", figure.label);
  row(list, "Exactly", figure.value);
  row(list, "From", words[`origin${figure.origin[0].toUpperCase()}${figure.origin.slice(1)}`]);
  if (figure.tool) toolRows(list, figure.tool, figure.arguments ?? {});
  const main = !figure.tool || figure.formula?.endsWith(`= ${figure.value}`);
  row(list, main ? "Formula" : "Formula of the main result", figure.formula, "pre");
  row(list, "Source", figure.source);
  return card;
}

/**
 * @param {HTMLElement} list
 * @param {string} tool
 * @param {Record<string, unknown>} args
 */
function toolRows(list, tool, args) {
  const pairs = Object.entries(args)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  const link = document.createElement("a");
  link.href = `${words.tools}/${encodeURIComponent(tool)}?${new URLSearchParams(pairs)}`;
  link.textContent = tool;
  row(list, "Tool", " ").append(link);
  for (const [name, value] of pairs) row(list, name, value, "code");
}

/**
 * @param {HTMLElement} list
 * @param {string} name
 * @param {string|undefined} value nothing is added where it is empty
 * @param {string} tag
 * @returns {HTMLElement}
 */
function row(list, name, value, tag = "span") {
  const term = document.createElement("dt");
  const definition = document.createElement("dd");
  if (!value) return definition;
  const inner = document.createElement(tag);
  term.textContent = shown(name);
  inner.textContent = shown(value).trim();
  definition.append(inner);
  list.append(term, definition);
  return definition;
}
