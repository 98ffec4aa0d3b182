"""Progress by one scorer with one rubric: rates by part, theme and week, and what to do next.

Pure; the counts come from the store, which never adds up two scorers or rubrics.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate

from interviewer.review.rates import Change, Rate
from interviewer.store import Tally
from rubrics.scorecard import Part

TOLD = 3
"""Times that a part of a theme was assessed before it is named as what to practise."""
GONE = "questions that are gone"
NOTHING = Rate(0, 0)

Rates = Mapping[Part, Rate]


@dataclass(frozen=True, slots=True)
class Group:
    """A theme or a week with the rate of each part; `key` is its name or its Monday."""

    key: str
    parts: Rates


@dataclass(frozen=True, slots=True)
class Weakest:
    """A part of a theme, of which the least can be hoped: its interval ends lowest."""

    part: Part
    theme: str
    """Empty for all themes."""
    rate: Rate
    among: int
    """How many parts of themes were compared."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything that the page tells."""

    parts: Rates
    changes: Mapping[Part, Change]
    themes: tuple[Group, ...]
    weeks: tuple[Group, ...]
    weakest: Weakest | None
    """None where nothing was assessed."""


def progress_of(
    by_card: Sequence[Tally], by_day: Sequence[Tally], themes: Mapping[str, str]
) -> Progress:
    """Progress from the counts; `themes` is the theme of each card."""
    groups = _groups(by_card, lambda card: themes.get(card, GONE))
    parts = _parts(by_card)
    return Progress(
        parts=parts,
        changes={part: _change(part, by_day) for part in Part},
        themes=groups,
        weeks=_groups(by_day, _monday),
        weakest=_weakest(groups, parts),
    )


def _parts(tallies: Sequence[Tally]) -> Rates:
    return _groups(tallies, lambda _: "")[0].parts if tallies else dict.fromkeys(Part, NOTHING)


def _groups(tallies: Iterable[Tally], key_of: Callable[[str], str]) -> tuple[Group, ...]:
    """Counts added up by key and part; thousands of them, so in one pass."""
    counts: dict[str, dict[str, list[int]]] = {}
    for tally in tallies:
        count = counts.setdefault(key_of(tally.key), {}).setdefault(tally.part, [0, 0])
        count[0] += tally.solid
        count[1] += tally.assessed
    return tuple(
        Group(key, {part: Rate(*counts[key].get(part.value, (0, 0))) for part in Part})
        for key in sorted(counts)
    )


@lru_cache(maxsize=4096)
def _monday(day: str) -> str:
    found = date.fromisoformat(day)
    return (found - timedelta(days=found.weekday())).isoformat()


def _change(part: Part, by_day: Sequence[Tally]) -> Change:
    """The earlier days beside the later ones, each with about half of what was assessed; a day is
    not divided.
    """
    days = [tally for tally in by_day if tally.part == part.value]
    counts = list(accumulate(tally.assessed for tally in days))
    cut = bisect_right(counts, counts[-1] // 2) if counts else 0
    return Change(_rate(days[:cut]), _rate(days[cut:]))


def _rate(tallies: Sequence[Tally]) -> Rate:
    return Rate(sum(tally.solid for tally in tallies), sum(tally.assessed for tally in tallies))


def _weakest(themes: Sequence[Group], parts: Rates) -> Weakest | None:
    cells = [
        (part, group.key, rate)
        for group in themes
        if group.key != GONE
        for part, rate in group.parts.items()
        if rate.assessed >= TOLD
    ]
    alone = [(part, "", rate) for part, rate in parts.items() if rate.assessed]
    among = cells or alone
    if not among:
        return None
    part, theme, rate = min(among, key=lambda cell: (cell[2].interval[1], cell[2].share))
    return Weakest(part, theme, rate, len(among))
