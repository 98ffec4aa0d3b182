"""Statements of a telling that contradict the story or an earlier telling, found in code. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from interviewer.events import Contradiction
from interviewer.quantities import Quantity
from interviewer.stories import told
from interviewer.stories.story import Story
from interviewer.stories.told import Statement

SHARED = 2
"""Words that two statements must share to be about the same thing."""
ALIKE = 0.02
"""Relative difference up to which two numbers are the same said twice."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a telling is held against: the story, or what was said in an earlier round."""

    name: str
    """'story', or the id of the earlier round."""
    text: str
    role: str = ""
    """The teller's role, where the source states it apart from the text."""


def contradictions(
    said: Sequence[tuple[int, str]], sources: Sequence[Source], story: Story
) -> tuple[Contradiction, ...]:
    """What contradicts, in the order in which it was said; `said` holds turns with numbers."""
    found: dict[tuple[str, str, str], Contradiction] = {}
    for turn, text in said:
        for one in _in_turn(turn, text, sources, story):
            found.setdefault((one.kind, one.said, one.stated), one)
    return tuple(found.values())


def _in_turn(
    turn: int, text: str, sources: Sequence[Source], story: Story
) -> Iterator[Contradiction]:
    for name in story.written.leave_out:
        if found := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            said = found.group()
            yield Contradiction(
                kind="name", turn=turn, said=said, sentence=said, stated=name, source="story"
            )
    for source in sources:
        stated = f"{source.text}\nrole: {source.role}" if source.role else source.text
        pairs = (
            *_numbers(told.numbers(text), told.numbers(source.text)),
            *_dates(told.dates(text), told.dates(source.text)),
            *_roles(told.roles(text), told.roles(stated)),
        )
        for kind, ours, theirs in pairs:
            yield Contradiction(
                kind=kind,
                turn=turn,
                said=ours.text,
                sentence=ours.sentence,
                stated=theirs.text,
                stated_sentence=theirs.sentence,
                source=source.name,
            )


Pair = tuple[str, Statement, Statement]


def _numbers(said: Iterable[Statement], stated: Sequence[Statement]) -> Iterator[Pair]:
    for ours in said:
        rivals = [theirs for theirs in stated if _comparable(ours, theirs)]
        if any(_repeats(ours, theirs) for theirs in rivals):
            continue
        alike = [theirs for theirs in rivals if len(ours.about & theirs.about) >= SHARED]
        if alike:
            yield "number", ours, max(alike, key=lambda theirs: _closeness(ours, theirs))


def _comparable(ours: Statement, theirs: Statement) -> bool:
    """Of one dimension; a bare number may stand for a count."""
    if ours.quantity is None or theirs.quantity is None:
        return False
    dimensions = {ours.quantity.dimension, theirs.quantity.dimension}
    return len(dimensions) == 1 or dimensions == {None, "count"}


def _repeats(ours: Statement, theirs: Statement) -> bool:
    """Whether it is the same figure; in another unit only where it is about the same thing."""
    if ours.quantity is None or theirs.quantity is None:
        return False
    units = [said.unit.symbol if said.unit else "" for said in (ours.quantity, theirs.quantity)]
    known = units[0] == units[1] or bool(ours.about & theirs.about)
    return known and _same(ours.quantity, theirs.quantity)


def _same(ours: Quantity, theirs: Quantity) -> bool:
    """Equal, or one is the other rounded."""
    units = [said.unit.factor if said.unit else 1.0 for said in (ours, theirs)]
    precision = max(ours.precision * units[0], theirs.precision * units[1])
    allowed = max(precision, ALIKE * max(abs(ours.base), abs(theirs.base)))
    return abs(ours.base - theirs.base) <= allowed * (1 + 1e-9)


def _closeness(ours: Statement, theirs: Statement) -> tuple[int, float]:
    """The one that shares most words; of equal ones the nearest in value."""
    shared = len(ours.about & theirs.about)
    if ours.quantity is None or theirs.quantity is None:
        return shared, 0.0
    return shared, -abs(ours.quantity.base - theirs.quantity.base)


def _dates(said: Iterable[Statement], stated: Sequence[Statement]) -> Iterator[Pair]:
    for ours in said:
        alike = [theirs for theirs in stated if len(ours.about & theirs.about) >= SHARED]
        if alike and not any(_agree(ours, theirs) for theirs in alike):
            yield "date", ours, max(alike, key=lambda theirs: len(ours.about & theirs.about))


def _agree(ours: Statement, theirs: Statement) -> bool:
    """Where both name a year it is the same one, and so with the month."""
    years, months = {ours.year, theirs.year}, {ours.month, theirs.month}
    return (None in years or len(years) == 1) and (None in months or len(months) == 1)


def _roles(said: Iterable[Statement], stated: Sequence[Statement]) -> Iterator[Pair]:
    known = frozenset(head for theirs in stated for head in theirs.heads)
    for ours in said:
        if known and not ours.heads & known:
            yield "role", ours, stated[0]
