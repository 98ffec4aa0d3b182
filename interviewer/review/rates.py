"""How often a part was solid or better, with its Wilson interval, and whether that has changed.

Counts of one scorer with one rubric only; whoever counts sees to that. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from rubrics.scorecard import SOLID
from tools.proportions import newcombe, wilson

FEWEST = 7
"""Attempts from which a change is spoken of: with fewer, no split of them is significant by
Fisher's exact test, though Newcombe's interval may leave zero out.
"""

Direction = Literal["better", "worse", "too few to tell"]


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many assessed were solid or better."""

    solid: int
    assessed: int

    @classmethod
    def of(cls, levels: Iterable[int]) -> Self:
        """The rate of these levels."""
        given = list(levels)
        return cls(sum(level >= SOLID for level in given), len(given))

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where nothing was assessed."""
        return self.solid / self.assessed if self.assessed else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval; of nothing it is everything."""
        return wilson(self.solid, self.assessed) if self.assessed else (0.0, 1.0)

    @property
    def words(self) -> str:
        """'3 of 7, 43 % (16 to 75)'."""
        if not self.assessed:
            return "not assessed"
        low, high = self.interval
        share = f"{self.share * 100:.0f} % ({low * 100:.0f} to {high * 100:.0f})"
        return f"{self.solid} of {self.assessed}, {share}"


@dataclass(frozen=True, slots=True)
class Change:
    """The earlier half of some attempts beside the later one."""

    earlier: Rate
    later: Rate

    @property
    def difference(self) -> float:
        """Later minus earlier, from -1 to 1."""
        return self.later.share - self.earlier.share

    @property
    def interval(self) -> tuple[float, float]:
        """Newcombe's 95 % interval of the difference; of nothing it is everything."""
        if not (self.earlier.assessed and self.later.assessed):
            return -1.0, 1.0
        later, earlier = self.later, self.earlier
        return newcombe((later.solid, later.assessed), (earlier.solid, earlier.assessed))

    @property
    def direction(self) -> Direction:
        """Better or worse only where the interval leaves no doubt."""
        low, high = self.interval
        if self.earlier.assessed + self.later.assessed < FEWEST or low <= 0 <= high:
            return "too few to tell"
        return "better" if low > 0 else "worse"

    @property
    def words(self) -> str:
        """For people."""
        if not self.earlier.assessed:
            return f"{self.later.words}: too few to tell a change"
        low, high = self.interval
        return (
            f"{self.earlier.solid} of {self.earlier.assessed} at first, {self.later.solid} of "
            f"{self.later.assessed} of late: {self.difference * 100:+.0f} points "
            f"({low * 100:+.0f} to {high * 100:+.0f}), {self.direction}"
        )


def change(levels: Sequence[int]) -> Change:
    """The change over attempts in their order; a middle one belongs to the later half."""
    half = len(levels) // 2
    return Change(Rate.of(levels[:half]), Rate.of(levels[half:]))
