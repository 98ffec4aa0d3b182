"""Text out of a stream of token bytes: an offset window for characters, a holdback for stops."""

from collections.abc import Sequence
from dataclasses import dataclass, field

REPLACEMENT = "�"


@dataclass
class WindowDecoder:
    """Decodes from the last token known whole, so that a character split over tokens waits.

    Two offsets into the tokens, as vLLM and TGI keep them: text up to `read` has been given out;
    from `prefix` on tokens are decoded again, together with the new one.
    """

    tokens: list[bytes] = field(default_factory=list)
    prefix: int = 0
    read: int = 0

    def feed(self, token: bytes) -> str:
        """The text that this token completes; empty while it ends within a character."""
        self.tokens.append(token)
        whole = self._decoded(len(self.tokens))
        if whole.endswith(REPLACEMENT):
            return ""
        return self._give(whole)

    def close(self) -> str:
        """What is left at the end, incomplete characters replaced."""
        return self._give(self._decoded(len(self.tokens)))

    def _decoded(self, end: int) -> str:
        return b"".join(self.tokens[self.prefix : end]).decode("utf-8", "replace")

    def _give(self, whole: str) -> str:
        given = self._decoded(self.read)
        self.prefix, self.read = self.read, len(self.tokens)
        return whole[len(given) :]


@dataclass
class StopHoldback:
    """Gives text out as soon as it cannot be part of a stop string any more."""

    stops: Sequence[str]
    include: bool = False
    held: str = ""
    stopped: str | None = None

    def feed(self, text: str) -> str:
        """The text that is safe to send; after a stop nothing is."""
        if self.stopped is not None:
            return ""
        self.held += text
        found = first_stop(self.held, self.stops)
        if found is not None:
            start, self.stopped = found
            end = start + len(self.stopped) if self.include else start
            safe, self.held = self.held[:end], ""
            return safe
        keep = longest_suffix_prefix(self.held, self.stops)
        cut = len(self.held) - keep
        safe, self.held = self.held[:cut], self.held[cut:]
        return safe

    def close(self) -> str:
        """What is held at the end: no stop came, so it is text."""
        safe, self.held = self.held, ""
        return safe


def first_stop(text: str, stops: Sequence[str]) -> tuple[int, str] | None:
    """Start and string of the stop that is complete first; of two that end together the longer."""
    found = [(at + len(stop), at, stop) for stop in stops if (at := text.find(stop)) >= 0]
    if not found:
        return None
    _, start, stop = min(found)
    return start, stop


def longest_suffix_prefix(text: str, stops: Sequence[str]) -> int:
    """Length of the longest end of `text` with which some stop string begins."""
    longest = min(len(text), max((len(stop) for stop in stops), default=0))
    for size in range(longest, 0, -1):
        if any(len(stop) > size and stop.startswith(text[-size:]) for stop in stops):
            return size
    return 0
