"""Keeps a model's thinking out of its reply where the endpoint leaves it in the text."""

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkingFilter:
    """Drops one `<think>...</think>` at the start of a reply, fed in pieces of any size."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, text: str) -> str:
        """What of the text may be shown."""
        if self._state == "reply":
            return text
        self._held += text
        if self._state == "start":
            self._look_for_start()
        if self._state == "thinking":
            self._look_for_end()
        return self._release() if self._state == "reply" else ""

    def close(self) -> str:
        """What was still held back when the reply ended; unfinished thinking is dropped."""
        return self._release() if self._state == "start" else ""

    def _look_for_start(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(_OPEN):
            self._state = "thinking"
        elif not _OPEN.startswith(begun):
            self._state = "reply"

    def _look_for_end(self) -> None:
        _, found, after = self._held.partition(_CLOSE)
        if not found:
            # Only a torn closing tag can still matter.
            self._held = self._held[-len(_CLOSE) :]
        elif after.strip():
            self._held, self._state = after.lstrip(), "reply"

    def _release(self) -> str:
        text, self._held = self._held, ""
        return text
