"""A sign: something that counts for or against a part, how strongly it was found, and where."""

from collections.abc import Sequence
from dataclasses import dataclass

from interviewer.scoring.words import Hit


@dataclass(frozen=True, slots=True)
class Found:
    """A sign's strength from 0 to 1, and the words that show it, in order."""

    strength: float
    hits: Sequence[Hit] = ()
    known: bool = True
    """False where the card says nothing about it: then nobody is told that it is missing."""


Signs = dict[str, Found]


def share(value: float, full: float) -> float:
    """`value` as a share of what counts in full, from 0 to 1."""
    return min(1.0, max(0.0, value / full))
