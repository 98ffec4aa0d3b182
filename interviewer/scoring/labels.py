"""Tells an answer that announces the rubric's parts from one that says them."""

import re
from collections.abc import Iterable

_WRITTEN = re.compile(r"\b(claim|number|trade-?off|next[- ]step)s?\s*[:=–—]")
_SPOKEN = re.compile(
    r"\b(?:the|my|this) (claim|number|trade ?off|next step) (?:is|here is|would be|are)\b"
    r"|\b(claim number trade off (?:and )?next step)\b"
)


def announces_parts(written: Iterable[str], spoken: str) -> bool:
    """Whether an answer is laid out under the rubric's own labels, at least three of them.

    `written` is the text as it came, `spoken` its cleaned words.
    """
    lower = [text.lower() for text in written]
    if not any("claim" in text or "trade" in text for text in lower):
        return False  # of three labels one is a claim or a trade-off
    names = {match.group(1) for text in lower for match in _WRITTEN.finditer(text)}
    names |= {match.group(1) or "all" for match in _SPOKEN.finditer(spoken)}
    return len({re.sub(r"[- ]", "", name) for name in names}) >= 3
