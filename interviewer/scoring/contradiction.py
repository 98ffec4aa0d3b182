"""Finds an answer that takes back late what it denied early: two words, with 'not' and without."""

import re
from collections.abc import Sequence
from itertools import pairwise

from interviewer.scoring.cues import cues
from interviewer.scoring.words import Hit, Words, tokens

_DENIAL = frozenset(
    tokens(
        """
    not never no don't wouldn't won't isn't can't doesn't instead without nobody nothing
    rather  avoid stop skip neither nor hardly than
    """
    )
)
_EMPTY = frozenset(
    tokens(
        """
    the a an and or of to in on at for with by is are was be it that this i you we they i'd
    i'll  would will do if so as but than then there what which when how all any one
    """
    )
)
_WANT = re.compile(
    r"\b(?:i'd|i would|i'll|we can|you can|would|turn on|use|go ahead|just|let|keep|kept|skipped)\b"
)
_SAID = r"(?:said|told you|claimed|answered|argued|stated|gave you|have said)"
_MINE = (
    rf"(?:what i (?:just |have )?{_SAID}"
    r"|(?:all|any|everything|most|none) (?:of )?(?:that|this|it|what|the above)"
    rf"|the (?:first|whole) (?:thing|answer|part)(?: i {_SAID})?|my (?:first |own |whole )?"
    r"(?:answer|claim|statement)|everything (?:up to here|before|so far|i \w+))"
)
_GONE = (
    r"(?:wrong|false|nonsense|off|rubbish|not true|not right|untrue|mistaken|a mistake|invalid|void"
    r"|worthless|upside down)"
)
_GOES_ON = (
    r"(?= (?:i|it|that|this|we|you|they|the|actually|wait|sorry|in|scratch|let|not|there)\b| ?\Z)"
)
"""After a 'no' that stands for itself: 'but no text leaks' takes nothing back."""
_RETRACTION = cues(
    rf"""
    (?:forget|ignore|disregard|scrap|drop|strike|withdraw|retract|delete) (?:about )?{_MINE}
    (?:disregard|withdraw|retract|scrap|strike) (?:that|it|this)|(?:scratch|forget) (?:that|all)
    {_MINE}(?: \w+){{0,4}} (?:is|was|were|are) (?:all |just |simply |plainly |quite )?{_GONE}
    {_MINE}(?: \w+){{0,4}} (?:does not|doesn't|did not|didn't|will not) (?:hold|stand|work)
    (?:do not|don't|no longer|never) (?:believe|mean|stand by|think so|hold with) (?:\w+ )?{_MINE}
    i take (?:that|it|this|all) back|take back what i|changed my mind|i contradict myself
    (?:the|is the|just the) (?:opposite|contrary|reverse) (?:is|holds|of what|applies)
    (?:on|upon) (?:second thoughts?|reflection)|having thought about it|thinking about it again
    that (?:cannot|can't) be (?:right|true)|that (?:is|was) (?:all )?(?:wrong|not true|a mistake)
    none of (?:that|this|it|the above) (?:is|was|applies|holds)|it is not as i said|not as i said
    i (?:must |have to |should )?(?:correct|contradict) myself|disagree with myself
    i made (?:that|it) up
    i (?:retract|withdraw) (?:it|that|this|all)|let me start over|i (?:had|got) it backwards
    i should not have said|i was (?:wrong|mistaken)|in truth i
    (?:but (?:honestly |actually |really )?|well |hmm |actually |sorry |although )no{_GOES_ON}
    no (?:actually|sorry|that is not|that's not)
    """
)
_DIGIT = re.compile(r"\d")
_LATE = 0.45
"""The share of the answer after which a claim is taken back, not put right in passing."""
_WHOEVER = frozenset(tokens("you we they i one somebody someone people teams"))
_SUPPOSED = 4
"""Words before a phrase among which an 'if you' makes it a supposition."""
REACH = 2
"""Words before a pair in which a denial counts."""


def contradiction(said: Words) -> Hit | None:
    """The late words that affirm what was denied in the first half, or None."""
    words = said.texts
    border = int(len(words) * 0.5)
    denials = [at for at in range(border) if words[at] in _DENIAL]
    after = {at for denial in denials for at in range(denial + 1, denial + 1 + REACH)}
    denied = {pair for at in after if at < border and (pair := _pair(words, at))}
    if not denied:
        return None
    for at in range(border, len(words) - 1):
        if (words[at], words[at + 1]) in denied and not _is_denied(words, at):
            wants = said.find(_WANT, max(0, at - 6), at)
            if wants:
                return Hit(" ".join(words[at : at + 2]), wants[0].first, at + 2)
    return None


def retraction(said: Words) -> Hit | None:
    """Words late in the first turn that take its claim back; a corrected figure is none."""
    if not len(said):
        return None
    first = said.words[0].turn
    last = said.position(first + 1, 0)
    for hit in said.find(_RETRACTION, int(last * _LATE)):
        rest = said.between(hit.last, min(hit.last + 6, last))
        if hit.last <= last and len(rest.split()) >= 5 and not _DIGIT.search(rest):
            return hit
    return None


def is_denied(said: Words, at: int) -> bool:
    """Whether the words at a position are said with 'not', 'never', 'instead of' before them, or
    only supposed: 'if you do that'.
    """
    before = said.texts[max(0, at - _SUPPOSED) : at]
    supposed = any(pair[0] == "if" and pair[1] in _WHOEVER for pair in pairwise(before))
    return supposed or any(word in _DENIAL for word in before[-REACH:])


def _pair(words: Sequence[str], at: int) -> tuple[str, str] | None:
    if at + 1 >= len(words) or words[at] in _EMPTY or words[at + 1] in _EMPTY:
        return None
    return words[at], words[at + 1]


def _is_denied(words: Sequence[str], at: int) -> bool:
    return any(word in _DENIAL for word in words[max(0, at - REACH) : at])
