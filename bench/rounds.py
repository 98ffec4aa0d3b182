"""Makes a history: thousands of rounds with their turns and scorecards, the same for a seed."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from interviewer.events import (
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    Recorded,
    RoundEnded,
    RoundScored,
    RoundStarted,
)
from interviewer.migrations import migrate
from interviewer.store.engines import alone
from interviewer.store.event_store import event_row
from interviewer.store.read_models import rebuild
from interviewer.store.tables import EventRow
from questions.library import load
from questions.model import QuestionCard
from rubrics.library import load_rubrics
from rubrics.overall import overall
from rubrics.scorecard import Evidence, Level, Part, Score, Scorecard

ROUNDS, TURNS, WORDS = 5_000, 40, 60
LAST = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
SCORERS = ("rule/5", "judge/some-model")
LEVELS: tuple[Level, ...] = (1, 2, 3, 4)
TOGETHER = 2_000
"""Events of one insert."""


class Speech:
    """Sentences from the cards' own words, the common ones as common as in them."""

    def __init__(self, cards: Sequence[QuestionCard], dice: random.Random) -> None:
        self._words = " ".join(card.model_answer for card in cards).split()
        self._dice = dice

    def say(self, words: int = WORDS) -> str:
        """So many words."""
        return " ".join(self._dice.choices(self._words, k=words))


def logs(
    rounds: int = ROUNDS, turns: int = TURNS, seed: int = 1
) -> Iterator[tuple[datetime, list[Event]]]:
    """Rounds with their starts, the oldest first, three a day."""
    dice, cards = random.Random(seed), load().cards
    speech, hashes = Speech(cards, dice), {r.id: r.hash for r in load_rubrics().values()}
    for number in range(rounds):
        at = LAST - timedelta(hours=8 * (rounds - number))
        card = dice.choice(cards)
        part = dice.choice(list(Part)).value if number % 10 == 0 else None
        events: list[Event] = [_started(card, part)]
        for turn in range(turns):
            said = speech.say()
            events.append(_asked(said) if turn % 2 == 0 else _answered(turn, said, number))
        events.append(RoundEnded(reason="finished"))
        skill = 0.3 + 0.5 * number / rounds
        for scorer in SCORERS[: 1 + number % 2]:
            verdict = _scorecard(card, hashes[card.rubric], scorer, dice, skill, part, events)
            events.append(RoundScored(scorecard=verdict))
        yield at, events


def _started(card: QuestionCard, part: str | None) -> RoundStarted:
    fields = {
        name: getattr(card, name) for name in ("title", "question", "kind", "rubric", "limit_s")
    }
    return RoundStarted.model_validate(
        fields | {"card": card.id, "card_hash": card.hash, "part": part, "interviewer": "card"}
    )


def _asked(text: str) -> InterviewerSpoke:
    return InterviewerSpoke(text=text, purpose="question", speaker="card", limit_s=180)


def _answered(turn: int, text: str, number: int) -> CandidateSpoke:
    return CandidateSpoke(
        client_id=f"c{turn}", text=text, mode="spoken" if number % 3 == 0 else "typed"
    )


def _scorecard(
    card: QuestionCard,
    rubric_hash: str,
    scorer: str,
    dice: random.Random,
    skill: float,
    drilled: str | None,
    events: Sequence[Event],
) -> Scorecard:
    said = events[2]
    quote = said.text[:50] if isinstance(said, CandidateSpoke) else ""
    evidence = (Evidence(turn=2, quote=quote, start=0, end=len(quote)),) if quote else ()
    scores = []
    for part in Part:
        level: Level | None = LEVELS[sum(dice.random() < skill for _ in range(3))]
        level = level if drilled in (None, part.value) else None
        state = "scored" if level else "not_assessed"
        scores.append(
            Score(part=part, level=level, reason="as drawn", state=state, evidence=evidence)
        )
    return Scorecard(
        rubric=card.rubric,
        rubric_hash=rubric_hash,
        scorer=scorer,
        card=card.id,
        card_hash=card.hash,
        scores=tuple(scores),
        overall=overall(scores),
    )


def _rows(rounds: int, turns: int) -> Iterator[dict[str, Any]]:
    for number, (at, events) in enumerate(logs(rounds, turns)):
        for seq, event in enumerate(events, start=1):
            yield event_row(f"{number:016x}", Recorded(seq=seq, at=at, event=event))


def write(path: Path, rounds: int = ROUNDS, turns: int = TURNS) -> str:
    """A database with that history as an import leaves it, the words' index in one piece; its URL.

    Event by event through a running store it takes four times as long.
    """
    url = f"sqlite:///{path}"
    migrate(url)
    rows = _rows(rounds, turns)
    with alone(url) as connection:
        while batch := list(islice(rows, TOGETHER)):
            connection.execute(insert(EventRow), batch)
        rebuild(connection)
    return url
