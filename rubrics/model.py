"""A rubric sheet as a frozen model: criteria with anchored levels, and the checks behind them."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from rubrics.scorecard import Frozen, Level, Part

Sentence = Annotated[str, Field(min_length=10)]


class Check(Frozen):
    """A small yes-or-no question on a part; a level is reached when the checks up to it are met."""

    id: str = Field(pattern=r"^[a-z]+(_[a-z]+)*$")
    level: Level = Field(ge=2)
    """The level that stands on this check."""
    ask: Sentence


class Criterion(Frozen):
    """One part of an answer: what is asked of it, what each level looks like, and its checks."""

    part: Part
    title: str
    question: Sentence
    levels: dict[Level, Sentence]
    checks: tuple[Check, ...] = Field(min_length=3)

    @model_validator(mode="after")
    def _levels_are_complete(self) -> Self:
        if sorted(self.levels) != [1, 2, 3, 4]:
            raise ValueError(f"levels: got {sorted(self.levels)}; anchor each of 1, 2, 3 and 4")
        if {check.level for check in self.checks} != {2, 3, 4}:
            raise ValueError("checks: give at least one check for each of the levels 2, 3 and 4")
        return self


class Rubric(Frozen):
    """A sheet of `rubrics/sheets/`; `hash` stands for its content and is set by the library."""

    id: str = Field(pattern=r"^[a-z]+$")
    version: int = Field(ge=1)
    title: str
    applies_to: Sentence
    criteria: tuple[Criterion, ...]
    hash: str = ""

    @model_validator(mode="after")
    def _parts_are_complete(self) -> Self:
        parts = [criterion.part for criterion in self.criteria]
        if parts != list(Part):
            raise ValueError(
                f"criteria: got {[str(p) for p in parts]}; give {[str(p) for p in Part]} in order"
            )
        ids = [check.id for criterion in self.criteria for check in criterion.checks]
        if doubled := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"checks: the ids {doubled} occur twice; give each check its own")
        return self

    def criterion(self, part: Part) -> Criterion:
        """The criterion of one part."""
        return next(criterion for criterion in self.criteria if criterion.part == part)
