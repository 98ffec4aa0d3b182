"""Cuts an answer into quotable stretches,
also where a speech recogniser left out the full stops."""

import re
from dataclasses import dataclass

LONGEST = 32
"""Words in a stretch before it is cut at a discourse word."""

_END = re.compile(r"(?=[\s\"')\]])(?:(?<=[.!?])[\"')\]]*\s+(?=\S)|\s*\n+\s*)")
_CUT = re.compile(
    r"\s+(?=(?:and (?:then|so|i|we|if|that|the|what)|so (?:i|we|if|what|the|that|you|let)|but"
    r"|because|okay|um|uh|next|first|the (?:cost|price|reason|first)|what (?:i|it|we|you|that)"
    r"|if (?:the|it|you|i|we|that|there)|which|unless|then|otherwise)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A half-open character span of a text."""

    start: int
    end: int


def lowered(text: str) -> str:
    """Lower case of the same length, so that positions hold."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def sentences(text: str) -> tuple[Stretch, ...]:
    """The sentences of a text in order; long unpunctuated ones are cut at discourse words."""
    stretches: list[Stretch] = []
    start = 0
    for gap in _END.finditer(text):
        stretches.extend(_pieces(text, start, gap.start()))
        start = gap.end()
    stretches.extend(_pieces(text, start, len(text)))
    return tuple(stretches)


def _pieces(text: str, start: int, end: int) -> list[Stretch]:
    """One sentence, cut where it runs on; a piece has at least eight words where it can."""
    end = start + len(text[start:end].rstrip())
    start += len(text[start:end]) - len(text[start:end].lstrip())
    if start >= end:
        return []
    if len(text[start:end].split()) <= LONGEST:
        return [Stretch(start, end)]
    pieces: list[Stretch] = []
    begin = start
    for cut in _CUT.finditer(text, start, end):
        if len(text[begin : cut.start()].split()) >= 8:
            pieces.append(Stretch(begin, cut.start()))
            begin = cut.end()
    return [*pieces, Stretch(begin, end)]
