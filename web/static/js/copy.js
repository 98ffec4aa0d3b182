/* The button that copies the page's address, which is its whole state. */

import { byId } from "./text.js";

byId("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("copied").textContent = "Copied.";
  } catch {
    // Without a secure context there is no clipboard: the address can be marked and copied by hand.
    byId("copied").textContent = location.href;
  }
});
