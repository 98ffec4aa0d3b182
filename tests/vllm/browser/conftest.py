"""The browser of `tests/browser`, for pages on a server whose model is a real vLLM."""

from tests.browser.conftest import browser, chromium, context, playwright

__all__ = ["browser", "chromium", "context", "playwright"]
