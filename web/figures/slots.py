"""How requests of given lengths pass through batch slots, static and continuous; pure.

An iteration decodes one token of every request in a slot. No arrival times: all wait at the start.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """One request in a slot: iterations start..end of work, held until `left` (end or later)."""

    request: int
    slot: int
    start: int
    end: int
    left: int


def static(lengths: Sequence[int], slots: int) -> list[Run]:
    """Groups of `slots` requests in order; a group stays until its longest member is done."""
    runs, start = [], 0
    for first in range(0, len(lengths), slots):
        group = lengths[first : first + slots]
        left = start + max(group)
        runs += [
            Run(first + slot + 1, slot, start, start + length, left)
            for slot, length in enumerate(group)
        ]
        start = left
    return runs


def continuous(lengths: Sequence[int], slots: int) -> list[Run]:
    """A finished request leaves at once, and the next one in line takes its slot."""
    free_at, runs = [0] * slots, []
    for number, length in enumerate(lengths, 1):
        slot = min(range(slots), key=lambda slot: (free_at[slot], slot))
        start = free_at[slot]
        free_at[slot] = start + length
        runs.append(Run(number, slot, start, free_at[slot], free_at[slot]))
    return runs


def iterations(runs: Sequence[Run]) -> int:
    """Iterations until the last request is done."""
    return max(run.end for run in runs)


def busy_share(runs: Sequence[Run], slots: int) -> float:
    """Slot-iterations that decode a token, over all of them until the end."""
    return sum(run.end - run.start for run in runs) / (slots * iterations(runs))
