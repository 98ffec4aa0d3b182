/* Sets the chosen colour theme before the first paint. A classic script, because modules run too late. */
(() => {
  try {
    const theme = localStorage.getItem("viva:theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    /* Storage is blocked: the system's theme stays. */
  }
})();
