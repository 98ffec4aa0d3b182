"""A card for a question that the library does not have:
generic probes and flags, no facts, no key points."""

import re

from questions.model import AskedBy, KeyPoints, PartName, Probe, QuestionCard, RedFlagRule, Trigger

BEHAVIOURAL = re.compile(
    r"tell me about|a time (when|you)|walk me through your|why do you want|what motivates"
    r"|proud|you owned|your (manager|team|mistake|weakness|strength)|disagree|how do you trade off",
    re.IGNORECASE,
)

ASKS: dict[PartName, tuple[str, str]] = {
    "claim": ("What is your answer in one sentence?", "A direct answer to the question."),
    "number": (
        "Which figure carries that?",
        "A figure with its unit and its arithmetic or source.",
    ),
    "tradeoff": (
        "What does that cost, and when would you choose differently?",
        "A cost and a flip.",
    ),
    "nextstep": ("What would you do next?", "A specific step, and what its result would decide."),
}

FLAGS = (
    RedFlagRule(flag="invents a source", why="A figure that nobody can look up is worth nothing."),
    RedFlagRule(flag="blames others", why="It hides the speaker's own part."),
    RedFlagRule(flag="contradicts itself", why="Nobody can act on both halves."),
)


def neutral_card(card_id: str, question: str) -> QuestionCard:
    """A valid card that knows only its id and its question;
    behavioural by id (BEH...) or wording."""
    behavioural = card_id.upper().startswith("BEH") or bool(BEHAVIOURAL.search(question))
    kind = "behavioural" if behavioural else "technical"
    return QuestionCard(
        id=card_id,
        title=question,
        version=1,
        kind=kind,
        theme="",
        round="",
        difficulty="medium",
        rubric=kind,
        question=question,
        tests="",
        asked_by=AskedBy(corroboration="no interview source"),
        key_points=KeyPoints(claim=(), number=(), tradeoff=(), nextstep=()),
        probes=tuple(
            Probe(id=part, part=part, ask=ask, when=Trigger(missing=part), good=good)
            for part, (ask, good) in ASKS.items()
        ),
        red_flags=FLAGS,
        model_answer="",
        short_answer="",
    )
