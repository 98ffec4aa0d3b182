/* Choices that this browser remembers; where storage is blocked they hold for the page only. */

/** @type {Map<string, string>} */
const here = new Map();

/**
 * @param {string} name
 * @param {string} fallback
 * @returns {string}
 */
export function recall(name, fallback) {
  try {
    return localStorage.getItem(`viva:${name}`) ?? here.get(name) ?? fallback;
  } catch {
    return here.get(name) ?? fallback;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  here.set(name, value);
  try {
    localStorage.setItem(`viva:${name}`, value);
  } catch {
    /* Kept for this page. */
  }
}
