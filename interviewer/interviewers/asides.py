"""What a candidate says to the interviewer instead of answering, and how the question comes back.

An utterance is an aside only where each of its sentences is one: whoever also answers is heard out.
"""

import re
from enum import Enum

from interviewer.interviewers.manner import sentences
from interviewer.scoring.words import FILLERS, tokens
from questions.model import QuestionCard

LONGEST = 30
"""Words; whoever says more has begun to answer."""


class Aside(Enum):
    """What is asked for; where several are, the first of these counts."""

    REVEAL = "the answer"
    CLARIFY = "what is given, or what is meant"
    REPEAT = "the question once more"
    UNKNOWN = "nothing: the candidate does not know, or passes"


_POLITE = FILLERS | frozenset(
    (
        *("sorry", "please", "well", "ok", "okay", "thanks", "honestly", "so", "oh", "kindly"),
        *("just", "maybe", "really", "actually", "quite", "simply", "wait", "hello", "hi"),
    )
)
_MAY = r"(?:(?:can|could|would|will|may|do) (?:you|i|we) )?"
_ALTERNATIVES = {
    Aside.REVEAL: (
        rf"{_MAY}(?:tell|give|show) me (?:(?:the|an?|at least|right|correct|model|whole) )*"
        r"(?:answer|solution|number|hint)\b.*",
        r"(?:come on )?what(?:'s| is| would be) the (?:(?:right|correct|best|model) )*"
        r"(?:answer|solution)\b.*",
        r"what does the model answer say",
        r"(?:what|how) would you (?:say|answer)\b.{0,20}",
        r"i want to (?:learn|know|hear) .{0,30}",
    ),
    Aside.CLARIFY: (
        rf"{_MAY}(?:clarify|rephrase|explain|specify|elaborate|be more (?:specific|precise))\b.*",
        r"what (?:do|did) you mean\b.*|what is meant\b.*|(?:do )?you mean\b.*",
        r"(?:should|can|may|could|shall|do) i assume\b.*|(?:can|may|could) i ask .*",
        r"(?:what|which|how (?:many|much|large|big|long)) .{0,60}(?:(?:should|shall) i (?:assume|"
        r"take|use)|are we (?:talking about|using|assuming|running)|(?:do|did) (?:we|i) have"
        r"|am i given|you have in mind|is given)\b.*",
        r"(?:are|is) (?:we|this|that|it|there) .{0,60} or .{0,60}",
        r"i (?:do not|don't|did not|didn't) understand (?:the|your|this|that|what)\b.*",
        r"(?:i'm|i am) not sure (?:that )?i (?:understand|follow)\b.*",
        r"what (?:are the (?:inputs|numbers|figures)|is given)|what's given",
    ),
    Aside.REPEAT: (
        rf"{_MAY}(?:repeat|say|ask|read)(?: me)? (?:that|it|this|(?:the|your) (?:last )?question)"
        r"(?: (?:again|once more|one more time|for me|to me))*",
        rf"{_MAY}have the question again",
        r"(?:what was|what's|what is) (?:the|your) question(?: again)?",
        r"come again|pardon(?: me)?|(?:once more|again|one more time)|what did you (?:ask|say)",
        r"i (?:did not|didn't) (?:hear|catch|get) (?:that|you|it|(?:the|your) question)\b.{0,20}",
    ),
    Aside.UNKNOWN: (
        r"i (?:do not|don't|dont) know(?: (?:this|that|it|how|what to say|the answer))?"
        r"(?: (?:one|either|at all))?",
        r"i (?:do not|don't) have an(?:y)? (?:idea|answer)",
        r"(?:i (?:have|had|'ve) )?(?:no|not a) (?:idea|clue|answer)|i dunno|dunno|i give up",
        r"i (?:can't|cannot|couldn't) (?:answer|think of) .{0,30}|i (?:can't|cannot) say",
        r"(?:(?:i'm|i am) )?not sure(?: (?:about (?:this|that|it)|at all|either))?",
        r"(?:i )?pass|skip(?: (?:it|this|that))?(?: one)?|next(?: question)?",
        r"i(?:'d| would) (?:rather|like to|prefer to) (?:move on|skip|pass)\b.{0,20}",
        r"(?:let's|can we|could we) (?:move on|skip)\b.{0,20}",
    ),
}
_PATTERNS = {aside: re.compile("|".join(lines)) for aside, lines in _ALTERNATIVES.items()}


def aside_of(text: str) -> Aside | None:
    """What an utterance asks of the interviewer; None where any of it may be an answer.

    Who says nothing, or "um", does not know.
    """
    if len(text.split()) > LONGEST:
        return None
    said = [_plain(sentence) for sentence in sentences(text.replace("’", "'"))]
    if not any(said):
        return Aside.UNKNOWN
    found = [_kind(sentence) for sentence in said if sentence]
    if None in found:
        return None
    return next(aside for aside in Aside if aside in found)


def ask_again(aside: Aside, card: QuestionCard, question: str, *, opening: bool) -> str:
    """The question at hand once more, after what was asked for."""
    return f"{_lead(aside, card, opening)} {question}"


def _lead(aside: Aside, card: QuestionCard, opening: bool) -> str:
    about_oneself = card.kind == "behavioural"
    match aside:
        case Aside.REPEAT:
            return "Once more:"
        case Aside.REVEAL:
            return "A good answer comes with your scorecard; now I want yours, as far as it goes."
        case Aside.UNKNOWN if about_oneself:
            return "Take a moment; a small case will do."
        case Aside.UNKNOWN:
            return "Then begin with what you do know, or with how you would find out."
        case Aside.CLARIFY if opening and card.scenario and not about_oneself:
            return f"Take this as given. {' '.join(card.scenario)}"
        case Aside.CLARIFY:
            return "Take it as you understand it, and say what you assume."


def _plain(sentence: str) -> str:
    return " ".join(word for word in tokens(sentence) if word not in _POLITE)


def _kind(sentence: str) -> Aside | None:
    return next((aside for aside in Aside if _PATTERNS[aside].fullmatch(sentence)), None)
