"""Timestamps as words without vowels or digits, which grounding lets pass at once."""

import re
import time

LETTERS = "bcdfghjklmnpqrst"
STAMP = re.compile(rb"x([bcdfghjklmnpqrst]{7})\b")
CYCLE = 16**7
"""Ticks of 10 us; a stamp is unique for 44 minutes."""
_ENCODE = str.maketrans("0123456789abcdef", LETTERS)
_DECODE = bytes.maketrans(LETTERS.encode(), b"0123456789abcdef")


def _ticks() -> int:
    return time.monotonic_ns() // 10_000 % CYCLE


def stamp() -> str:
    """The time now as a token."""
    return "x" + f"{_ticks():07x}".translate(_ENCODE) + " "


def ages_ms(data: bytes) -> list[float]:
    """The age of every token in `data`, in milliseconds."""
    now = _ticks()
    born = (int(word.translate(_DECODE), 16) for word in STAMP.findall(data))
    return [(now - at) % CYCLE / 100 for at in born]
