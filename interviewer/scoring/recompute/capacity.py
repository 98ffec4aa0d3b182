"""Claims that something fits where a wrong size was stated: with the right one it doesn't."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.data_sheets import memory_of
from interviewer.scoring.recompute.surroundings import normalise

_CLAIM = re.compile(
    r"\b(?:fits?|runs? on|carr(?:y|ies)|holds? (?:it|all|them|everything)|stays? (?:on|in)"
    r"|goes (?:on|in)to?)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:\b(?:not|never|no longer|cannot)\b|n['’]t\b)[^.!?;]{0,12}\Z", re.IGNORECASE)
_GPU = re.compile(r"\b(?:one|a|an|1|single) (?:single )?(h200|h100|b200|a100)\b")
_REACH = 220
_BEHIND, _AHEAD = 30, 40
_ROOM = 1.05


@dataclass(frozen=True, slots=True)
class Capacity:
    """A claim that is false: where it stands, and what it hangs on."""

    start: int
    end: int
    cause: Quantity
    right: float
    """Of the size, in bytes."""
    room: float
    """In bytes."""


def false_capacities(
    text: str, quantities: Sequence[Quantity], right_bases: Mapping[int, float]
) -> Iterator[Capacity]:
    """Every claim of what fits into so many bytes, or one GPU, that a wrong size upset."""
    sizes = [q for q in quantities if q.dimension == "bytes" and q.base > 0]
    for claim in _CLAIM.finditer(text):
        causes = [
            size
            for size in sizes
            if size.start in right_bases and 0 <= claim.start() - size.end <= _REACH
        ]
        room = _room(text, claim, [size for size in sizes if size not in causes])
        if not causes or room is None:
            continue
        cause, right = causes[-1], right_bases[causes[-1].start]
        fits = _NOT.search(text[max(0, claim.start() - 24) : claim.start()]) is None
        said, known = cause.base <= room.bytes, right <= room.bytes * _ROOM
        if said == fits and known != fits:
            start, end = min(claim.start(), room.start), max(claim.end(), room.end)
            yield Capacity(start, end, cause, right, room.bytes)


@dataclass(frozen=True, slots=True)
class _Room:
    bytes: float
    start: int
    end: int


def _room(text: str, claim: re.Match[str], sizes: Sequence[Quantity]) -> _Room | None:
    """The number of bytes, or the one GPU, that a claim is about."""
    for size in sizes:
        ahead = -1 <= size.start - claim.end() <= _AHEAD
        behind = 0 <= claim.start() - size.end <= _BEHIND
        between = text[min(claim.end(), size.end) : max(claim.start(), size.start)]
        if (ahead or behind) and not re.search(r"[.;!?]\s", between):
            return _Room(size.base, size.start, size.end)
    after = text[claim.end() : claim.end() + _AHEAD]
    if found := _GPU.search(normalise(after)):
        return _Room(memory_of(found.group(1)), claim.start(), claim.end())
    return None
