/* Text as the server counts it: in code points. Hostile characters made visible, one for one. */

/**
 * @param {string} text
 * @returns {string[]} its code points
 */
export const points = (text) => Array.from(text);

/**
 * Control, bidi and lone surrogate characters replaced; the same rules as interviewer/visible.py.
 * @param {string} text
 * @returns {string}
 */
export function shown(text) {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\r/g, " ")
    .replace(/\u007f/g, "\u2421")
    .replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/**
 * @param {number} seconds
 * @returns {string} as a clock shows it: 3:00
 */
export function minutes(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** @returns {string} an id that makes a resend harmless; works without a secure context too */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}
