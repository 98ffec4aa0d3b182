"""Makes a history: thousands of rounds with their turns and scorecards, the same for a seed."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

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
from interviewer.store import EventStore
from questions.library import load
from questions.model import QuestionCard
from rubrics.library import load_rubrics
from rubrics.overall import overall
from rubrics.scorecard import Evidence, Level, Part, Score, Scorecard

ROUNDS, TURNS, WORDS = 5_000, 40, 60
LAST = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
SCORERS = ("rule/2", "judge/some-model")
LEVELS: tuple[Level, ...] = (1, 2, 3, 4)
TOGETHER = 50
"""Rounds that are appended at once, so that they share commits."""


class Speech:
    """Sentences from the cards' own words, the common ones as common as in them."""

    def __init__(self, cards: Sequence[QuestionCard], dice: random.Random) -> None:
        counts: dict[str, int] = {}
        for word in " ".join(card.model_answer for card in cards).split():
            counts[word] = counts.get(word, 0) + 1
        self._words = list(counts)
        self._weights = list(accumulate(counts.values()))
        self._dice = dice

    def say(self, words: int = WORDS) -> str:
        """So many words."""
        return " ".join(self._dice.choices(self._words, cum_weights=self._weights, k=words))


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


async def _write(url: str, rounds: int, turns: int) -> None:
    store = EventStore(url)
    waiting: list[asyncio.Task[list[Recorded]]] = []
    for number, (at, events) in enumerate(logs(rounds, turns)):
        append = store.append(f"{number:016x}", 1, *events, at=at)
        waiting.append(asyncio.create_task(append))
        if len(waiting) == TOGETHER:
            await asyncio.gather(*waiting)
            waiting.clear()
    await asyncio.gather(*waiting)
    store.close()


def write(path: Path, rounds: int = ROUNDS, turns: int = TURNS) -> str:
    """A database with that history; its URL."""
    url = f"sqlite:///{path}"
    migrate(url)
    asyncio.run(_write(url, rounds, turns))
    return url
