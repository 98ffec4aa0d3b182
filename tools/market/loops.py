"""Interview loops: stages, minutes and the rule on AI; published ones apart from a composite."""

from functools import cache
from typing import Literal

from pydantic import Field

from tools.market.snapshots import Frozen, load

AiRule = Literal["banned", "allowed", "required", "discussed", "unstated"]
Minutes = tuple[int, int]
BankRound = Literal[
    "recruiter screen", "technical screen", "coding", "system design", "behavioural"
]
"""The interview rounds that the question bank holds questions for."""


class Stage(Frozen):
    """One stage; minutes of the candidate's time from..to, where the source gives them."""

    name: str
    minutes: Minutes | None = None
    ai: AiRule
    note: str = ""
    asks: tuple[BankRound, ...] = ()
    """What stands for the stage in practice: Viva's choice, no statement of the source."""


class Loop(Frozen):
    """One company's loop, or the composite of prep sites."""

    id: str
    company: str
    kind: Literal["published", "composite"]
    role: str
    source: str
    read: str
    """ISO day on which the source was read."""
    ai_rule: str
    stages: tuple[Stage, ...] = Field(min_length=1)
    weeks: tuple[int, int | None] | None = None
    stage_count: tuple[int, int] | None = None
    total_minutes: Minutes | None = None
    note: str = ""

    @property
    def stated_minutes(self) -> Minutes | None:
        """The sum of what is stated, from..to; None where no stage states minutes."""
        if self.total_minutes:
            return self.total_minutes
        known = [stage.minutes for stage in self.stages if stage.minutes]
        return (sum(low for low, _ in known), sum(high for _, high in known)) if known else None


class Loops(Frozen):
    """loops.json."""

    about: str
    source: str
    loops: tuple[Loop, ...]


@cache
def loops() -> Loops:
    """All loops, in the order of the file."""
    return load(Loops, "loops.json")
