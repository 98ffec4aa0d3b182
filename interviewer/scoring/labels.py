"""Tells an answer that announces the rubric's parts from one that says them."""

import re

from interviewer.scoring.features import Answer

_WRITTEN = re.compile(r"\b(claim|number|trade-?off|next[- ]step)s?\s*[:=–—]", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(?:the|my|this) (claim|number|trade ?off|next step) (?:is|here is|would be|are)\b"
    r"|\b(claim number trade off (?:and )?next step)\b"
)


def labelled(answer: Answer) -> bool:
    """Whether an answer is laid out under the rubric's own labels, at least three of them."""
    text = " ".join(turn.text for turn in answer.words.answers)
    names = {match.group(1) for match in _WRITTEN.finditer(text.lower())}
    names |= {match.group(1) or "all" for match in _SPOKEN.finditer(answer.words.text)}
    return len({re.sub(r"[- ]", "", name) for name in names}) >= 3
