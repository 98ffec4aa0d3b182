"""What only the calculators can say of a card: which fact fails, and which number has none."""

from collections.abc import Iterator

from interviewer.grounding.facts import InvalidFact, compute_facts
from interviewer.grounding.ledger import Ledger
from questions.checks import Complaint, dotted, walk
from questions.front_matter import Path
from questions.model import QuestionCard

_TO_BE_GROUNDED = {"model_answer": "", "short_answer": "", "probes": (), "red_flags": ()}
"""Texts whose numbers must rest on a fact: none of them may be its own ground."""


def card_faults(card: QuestionCard) -> Iterator[Complaint]:
    """Every fact that cannot be computed; else every number that rests on no fact of the card."""
    try:
        facts = compute_facts(card)
    except InvalidFact:
        yield from _facts(card)
        return
    ledger = Ledger.of(card.model_copy(update=_TO_BE_GROUNDED), facts)
    for path, text in _texts(card):
        for quantity in ledger.ground(text).ungrounded:
            message = "no fact of the card yields it; add the fact or correct the number"
            yield path, f"{dotted(path)}: {quantity.text!r}: {message}"


def _facts(card: QuestionCard) -> Iterator[Complaint]:
    for index, fact in enumerate(card.facts):
        try:
            compute_facts(card.model_copy(update={"facts": (fact,), "hash": ""}))
        except InvalidFact as error:
            yield ("facts", index), str(error)


def _texts(card: QuestionCard) -> Iterator[tuple[Path, str]]:
    yield ("model_answer",), card.model_answer
    yield ("short_answer",), card.short_answer
    for path, probe in walk(card.probes):
        yield (*path, "ask"), probe.ask
        yield (*path, "good"), probe.good
    for part in type(card.key_points).model_fields:
        for index, point in enumerate(getattr(card.key_points, part)):
            yield ("key_points", part, index, "point"), point.point
    for index, rule in enumerate(card.red_flags):
        yield ("red_flags", index), f"{rule.flag}. {rule.why}"
