"""What the operator's page shows: the server's load, what was found of it, the turns it spoke."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from interviewer.events import InterviewerSpoke, Recorded, StatementDropped
from interviewer.models.load import Load

TURNS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: what, and its value with its unit."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One turn that the model worded. Empty strings are what nobody counted."""

    round_id: str
    at: datetime
    first_word: str
    whole: str
    prompt: str
    cached: str
    reply: str
    dropped: int
    """Sentences that were left out of it."""


def load_rows(load: Load) -> tuple[Row, ...]:
    """The load in words."""
    return (
        Row("Requests running", _count(load.running)),
        Row("Requests waiting", _count(load.waiting)),
        Row("KV cache in use", _share(load.cache_used)),
        Row("Prompt tokens from the prefix cache", _share(load.cached_share)),
        Row("Time to first token, half of the requests", _below(load.first_token_half_s)),
        Row("Time to first token, 95 % of them", _below(load.first_token_most_s)),
        Row("Time in the queue, 95 % of them", _below(load.queued_most_s)),
        Row("Preemptions", _count(load.preemptions)),
    )


def spoken_turns(rounds: Iterable[tuple[str, Sequence[Recorded]]]) -> tuple[SpokenTurn, ...]:
    """The newest turns with a usage, the newest first."""
    turns = [turn for round_id, log in rounds for turn in _turns(round_id, log)]
    return tuple(sorted(turns, key=lambda turn: turn.at, reverse=True)[:TURNS])


def _turns(round_id: str, log: Sequence[Recorded]) -> list[SpokenTurn]:
    turns, dropped = [], 0
    for item in log:
        if isinstance(item.event, StatementDropped):
            dropped += 1
        if isinstance(item.event, InterviewerSpoke):
            if item.event.usage is not None:
                turns.append(_turn(round_id, item.at, item.event, dropped))
            dropped = 0
    return turns


def _turn(round_id: str, at: datetime, spoke: InterviewerSpoke, dropped: int) -> SpokenTurn:
    usage = spoke.usage
    assert usage is not None
    cached, prompt = usage.cached_tokens, usage.prompt_tokens
    return SpokenTurn(
        round_id=round_id,
        at=at,
        first_word=_seconds(usage.first_token_s),
        whole=_seconds(usage.total_s),
        prompt=f"{prompt:,}",
        cached="" if cached is None or not prompt else f"{cached / prompt:.0%}",
        reply=f"{usage.completion_tokens:,}",
        dropped=dropped,
    )


def _count(value: float | None) -> str:
    return "not told" if value is None else f"{value:,.0f}"


def _share(value: float | None) -> str:
    return "not told" if value is None else f"{value:.0%}"


def _below(value: float | None) -> str:
    if value is None:
        return "not told"
    return "longer than the server measures" if value == float("inf") else f"below {value:g} s"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"
