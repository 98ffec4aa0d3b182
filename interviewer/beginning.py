"""How a round or a drill begins: which drills a card offers, and the first event of one."""

import secrets
from collections.abc import Iterator

from interviewer.drills import DRILLS, NUMBERS, Drill, chain_of
from interviewer.errors import NoSuchDrill
from interviewer.events import DrillName, PartName, RoundStarted
from interviewer.reckoning.draw import pool_of
from questions.model import QuestionCard

PART_LIMIT_S = 60


def offered(card: QuestionCard) -> tuple[Drill, ...]:
    """The drills that a card has what it takes for; 'again' only follows a scorecard."""
    return tuple(_offered(card))


def _offered(card: QuestionCard) -> Iterator[Drill]:
    lacks = {
        "number": not pool_of(card),
        "followups": chain_of(card, 0) is None,
        "curveball": card.curveball is None,
        "again": True,
    }
    return (drill for name, drill in DRILLS.items() if not lacks.get(name))


def begin(
    card: QuestionCard,
    asker: str,
    *,
    part: PartName | None = None,
    drill: DrillName | None = None,
    after: str | None = None,
) -> RoundStarted:
    """The first event of a round on a card. Raises NoSuchDrill."""
    started = RoundStarted(
        card=card.id,
        card_hash=card.hash,
        title=card.title,
        question=card.question,
        kind=card.kind,
        rubric=card.rubric,
        limit_s=PART_LIMIT_S if part else card.limit_s,
        part=part,
        interviewer=asker,
    )
    return _as_drill(started, card, DRILLS[drill], after) if drill else started


def _as_drill(
    started: RoundStarted, card: QuestionCard, drill: Drill, after: str | None
) -> RoundStarted:
    if drill.name != "again" and drill not in offered(card):
        names = ", ".join(other.name for other in offered(card))
        raise NoSuchDrill(f"drill {drill.name!r}: {card.id} does not offer it; it offers {names}")
    seed = secrets.randbelow(1 << 31)
    part = drill.part or started.part
    question = card.question
    if drill.name == "followups" and (probe := chain_of(card, seed)):
        part = probe.part
    if drill.name == "number":
        question = f"{NUMBERS} numbers in a row: {card.title}"
    update = {
        "drill": drill.name,
        "part": part,
        "limit_s": drill.limit_s or card.limit_s,
        "question": question,
        "seed": seed,
        "pool": pool_of(card) if drill.name == "number" else (),
        "after": after,
    }
    return started.model_copy(update=update)
