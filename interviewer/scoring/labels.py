"""Tells an answer that announces the rubric's parts from one that says them."""

import re
from collections.abc import Iterable

_WRITTEN = re.compile(r"\b(claim|number|trade-?off|next[- ]step)s?\s*[:=–—]", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(?:the|my|this) (claim|number|trade ?off|next step) (?:is|here is|would be|are)\b"
    r"|\b(claim number trade off (?:and )?next step)\b"
)


def announces_parts(written: Iterable[str], spoken: str) -> bool:
    """Whether an answer is laid out under the rubric's own labels, at least three of them.

    `written` is the text as it came, `spoken` its cleaned words.
    """
    names = {match.group(1) for text in written for match in _WRITTEN.finditer(text.lower())}
    names |= {match.group(1) or "all" for match in _SPOKEN.finditer(spoken)}
    return len({re.sub(r"[- ]", "", name) for name in names}) >= 3
