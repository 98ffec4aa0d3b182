"""Real Chromium, a real Viva and a real vLLM; apart, since Playwright's loop must end first."""
