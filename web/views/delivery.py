"""How a round's spoken answers were said: beside the score, and no part of it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from interviewer.heard import Heard
from interviewer.session import RoundSession
from interviewer.transcript import Turn
from interviewer.voice.delivery import Delivery, delivery
from rubrics.scorecard import Scorecard
from web.views.parts import LABELS
from web.views.text import minutes
from web.views.timeline import Timeline, timeline


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure with what it means; `band` is where published figures lie."""

    label: str
    value: str
    hint: str = ""
    band: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that can be played: where, and what."""

    at_s: float
    at: str
    words: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """One spoken answer."""

    turn: int
    name: str
    take: str
    """Id of its recording where the sound is kept; else empty."""
    seconds: float
    measures: tuple[Measure, ...]
    """None of it below twenty words or ten seconds."""
    moments: tuple[Moment, ...]
    timeline: Timeline | None
    tip: str
    tip_why: str
    sources: tuple[str, ...]
    heard: str
    """As it was heard, where that is not what was sent; else empty."""


@dataclass(frozen=True, slots=True)
class HeardRow:
    """One part's level for the text as sent and as heard."""

    label: str
    sent: str
    heard: str


def delivered(session: RoundSession, kept: Collection[str]) -> tuple[Delivered, ...]:
    """The spoken answers of a round; `kept` are the ids of the recordings that are here."""
    return tuple(_delivered(session, kept))


def heard_rows(session: RoundSession, shown: Scorecard) -> tuple[HeardRow, ...]:
    """The levels as heard beside those as sent; none where nothing was corrected."""
    scored = session.state.heard_scorecards
    if not scored:
        return ()
    return tuple(
        HeardRow(
            LABELS[score.part], _level(score.level), _level(scored[-1].score(score.part).level)
        )
        for score in shown.scores
    )


def _level(level: int | None) -> str:
    return str(level) if level else "–"


def _delivered(session: RoundSession, kept: Collection[str]) -> Iterator[Delivered]:
    for number, turn in enumerate(session.state.answers, start=1):
        if turn.answer is not None and turn.answer.heard is not None:
            limit_s = _limit_s(session, turn)
            yield _one(turn, turn.answer.heard, f"answer {number}", limit_s, kept)


def _limit_s(session: RoundSession, turn: Turn) -> int:
    """The time for the question that a turn answers."""
    asked = (before.spoke for before in reversed(session.state.turns[: turn.number - 1]))
    limits = (spoke.limit_s for spoke in asked if spoke and spoke.limit_s)
    return next(limits, session.card.limit_s)


def _one(turn: Turn, heard: Heard, name: str, limit_s: int, kept: Collection[str]) -> Delivered:
    found = delivery(heard, limit_s)
    take = turn.answer.client_id if turn.answer else ""
    return Delivered(
        turn=turn.number,
        name=name.capitalize(),
        take=take if take in kept else "",
        seconds=heard.seconds,
        measures=tuple(_measures(found, limit_s)) if found else (),
        moments=tuple(_moments(found)) if found else (),
        timeline=timeline(heard, found, name) if found else None,
        tip=found.tip.text if found else "",
        tip_why=found.tip.why if found else "",
        sources=tuple(band.source for band in found.bands) if found else (),
        heard=heard.text if heard.text != turn.text else "",
    )


def _measures(found: Delivery, limit_s: int) -> Iterator[Measure]:
    bands = {band.measure: f"{band.low:g} to {band.high:g} is common" for band in found.bands}
    yield Measure(
        "Words a minute",
        f"{found.rate_wall_wpm:.0f}",
        f"{found.rate_speech_wpm:.0f} while speaking",
        bands.get("rate_wall_wpm", ""),
    )
    hard = [filler.text.lower() for filler in found.fillers if filler.kind == "hard"]
    yield Measure(
        "Um and uh per 100 words",
        f"{found.hard_per_100:.1f}",
        ", ".join(f"{hard.count(word)} {word}" for word in dict.fromkeys(hard)),
        bands.get("hard_per_100", ""),
    )
    yield Measure(
        "Pauses",
        f"{found.pause_share:.0%}",
        f"of the time; the longest {found.longest_pause_s:.1f} s, "
        f"{found.long_pauses} of 2 s or more",
    )
    yield Measure("First claim", _after(found.first_claim_s), "from the start of the recording")
    yield Measure("First number", _after(found.first_number_s), "from the start of the recording")
    used = f"{minutes(found.seconds)} of {minutes(limit_s)}"
    yield Measure("Time used", f"{found.limit_share or 0:.0%}", used)


def _after(seconds: float | None) -> str:
    return "none" if seconds is None else f"{seconds:.0f} s"


def _moments(found: Delivery) -> Iterator[Moment]:
    made = [
        *((filler.said.start, filler.text) for filler in found.fillers if filler.said),
        *(
            (pause.start, f"pause of {pause.seconds:.1f} s, {pause.place}")
            for pause in found.pauses
            if pause.seconds >= 1
        ),
    ]
    for at, words in sorted(made):
        yield Moment(round(max(0.0, at - 0.5), 2), minutes(at), words)
