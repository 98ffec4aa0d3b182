"""Published norms of delivery as wide bands, and the one thing to try next. No verdict."""

from collections.abc import Mapping
from typing import NamedTuple

from interviewer.heard import Frozen

LATE_CLAIM_S = 15.0
LATE_NUMBER_S = 45.0


class Band(Frozen):
    """Where published figures lie; outside it is no fault."""

    measure: str
    label: str
    low: float
    high: float
    inside: bool
    source: str


class Tip(Frozen):
    """One thing to try next, and why."""

    text: str
    why: str = ""


class _Norm(NamedTuple):
    label: str
    low: float
    high: float
    source: str


_NORMS = {
    "rate_wall_wpm": _Norm(
        "words per minute",
        110,
        180,
        "125 to 150 is typical of US speakers (Lucas, The Art of Public Speaking, 2004); up to 180 "
        "is still easy to follow in broadcasts (Rodero, Text & Talk 32(3), 2012). It varies with "
        "age, region and first language (Jacewicz et al., JASA 128, 2010).",
    ),
    "hard_per_100": _Norm(
        "um and uh per 100 words",
        0,
        6,
        "6 to 10 disfluencies of every kind per 100 words are normal (Li and Tilsen, ICPhS 2015); "
        "speakers fill some five times a minute (Zandan, Harvard Business Review, 2018).",
    ),
}
_SLOW, _FAST = _NORMS["rate_wall_wpm"].low, _NORMS["rate_wall_wpm"].high
_MANY = _NORMS["hard_per_100"].high


def norms(figures: Mapping[str, float | None]) -> tuple[Band, ...]:
    """The band of each figure that has a published norm."""
    return tuple(
        Band(
            measure=measure,
            label=norm.label,
            low=norm.low,
            high=norm.high,
            inside=norm.low <= value <= norm.high,
            source=norm.source,
        )
        for measure, norm in _NORMS.items()
        if (value := figures.get(measure)) is not None
    )


def choose_tip(figures: Mapping[str, float | None]) -> Tip:
    """The first that applies: what helps a listener most stands first."""
    claim, number = figures.get("first_claim_s"), figures.get("first_number_s")
    rate, fillers = figures.get("rate_wall_wpm") or 0.0, figures.get("hard_per_100") or 0.0
    if claim is not None and claim > LATE_CLAIM_S:
        return Tip(
            text=f"Say your answer first: it came after {claim:.0f} seconds.",
            why="A listener who knows the claim can follow the reasons.",
        )
    if rate > _FAST:
        return Tip(
            text=f"Slow down for the numbers: you spoke {rate:.0f} words a minute.",
            why="A figure needs a moment to be written down.",
        )
    if number is not None and number > LATE_NUMBER_S:
        return Tip(
            text=f"Bring the first number sooner: it came after {number:.0f} seconds.",
            why="One figure early shows that you size things before you choose.",
        )
    if fillers > _MANY:
        return Tip(
            text="Where an 'um' comes, try a silent pause instead.",
            why="Fillers mark planning of hard content and are no fault; silence does the same.",
        )
    if 0 < rate < _SLOW:
        return Tip(
            text="Fewer words, not faster ones: plan the next sentence while you pause.",
            why="A slow rate is often one long pause; see where it stands.",
        )
    return Tip(text="Nothing stands out. Keep it as it is.")
