"""The scorecard: levels with reasons and verbatim evidence. Pure values;
arithmetic on them is code, never a model."""

from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Part(StrEnum):
    """The four parts that every answer is judged on."""

    CLAIM = "claim"
    NUMBER = "number"
    TRADEOFF = "tradeoff"
    NEXTSTEP = "nextstep"


Level = Literal[1, 2, 3, 4]
SOLID: Level = 3
"""From this level on a part is solid or better."""


class Frozen(BaseModel):
    """A value: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(Frozen):
    """Words of the candidate:
    turn number (from 1) and the half-open character span of the quote in that turn."""

    turn: int = Field(ge=1)
    quote: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(ge=1)


State = Literal["scored", "not_assessed", "parse_failed", "refused", "timeout", "error"]


class Vote(Frozen):
    """One judgement among several of the same part."""

    judge: str
    level: Level | None
    reason: str
    state: State = "scored"


class Score(Frozen):
    """One part's level with its reason;
    `level` is None when the part was not assessed, and `state` says why."""

    part: Part
    level: Level | None
    reason: str
    state: State = "scored"
    evidence: tuple[Evidence, ...] = ()
    improve: str = ""
    """What the next level would need, for this answer."""
    votes: tuple[Vote, ...] = ()
    """Every judgement behind the level, where there were several."""
    disputed: str = ""
    """How the votes split; empty where most of them agree."""


Verdict = Literal["right", "wrong", "slip", "doubted", "unchecked"]
"""'doubted': a model says that it is wrong, where code has nothing to compare it with."""
WRONG: tuple[Verdict, ...] = ("wrong", "slip")
"""What code found wrong."""


class NumberFinding(Frozen):
    """One quantity that the candidate stated, recomputed where the card has a fact for it."""

    said: str
    turn: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=1)
    verdict: Verdict
    right: str | None = None
    """The right value with its unit, for people; None where nothing could be computed."""
    fact: str | None = None
    """Id of the card's fact that it was compared with."""
    reason: str = ""
    """For a slip: which one ('heads instead of KV heads'); for a wrong number:
    by how much it is off."""
    tool: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    formula: str = ""
    source: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether code or a judge holds it to be wrong."""
        return self.verdict in (*WRONG, "doubted")


class RedFlag(Frozen):
    """Something that sinks the answer whatever its levels are."""

    flag: str
    why: str = ""
    evidence: Evidence | None = None

    @property
    def sentence(self) -> str:
        """The flag with a full stop, whether or not its card gives it one."""
        return f"{self.flag.rstrip('.')}."


class Scorecard(Frozen):
    """The judgement of one round, and the identity of everything that produced it."""

    rubric: str
    rubric_hash: str
    scorer: str
    """Identity with version: 'rule/5', or 'judge/<model name>'."""
    card: str
    card_hash: str
    scores: tuple[Score, ...]
    overall: Level | None
    numbers: tuple[NumberFinding, ...] = ()
    red_flags: tuple[RedFlag, ...] = ()
    prompt_hash: str | None = None
    say_instead: str = ""
    """For the weakest part: what to say instead, in a sentence or two."""
    note: str = ""

    @model_validator(mode="after")
    def _parts_are_complete(self) -> Self:
        parts = [score.part for score in self.scores]
        if sorted(parts) != sorted(Part):
            raise ValueError(
                f"scores: got {[str(p) for p in parts]}; give one for each of "
                f"{[str(p) for p in Part]}, with level null where a part was not assessed"
            )
        return self

    @property
    def wrong_numbers(self) -> tuple[NumberFinding, ...]:
        """What code found wrong, and what a judge holds to be wrong."""
        return tuple(found for found in self.numbers if found.is_wrong)

    def score(self, part: Part) -> Score:
        """The score of one part."""
        return next(score for score in self.scores if score.part == part)

    @property
    def instead(self) -> str:
        """What `say_instead` is called: nobody is to tell another one's story as their own."""
        invented = self.rubric == "behavioural"
        return "How it can sound, in an invented story" if invented else "What to say instead"

    @property
    def weakest(self) -> Part | None:
        """The assessed part with the lowest level, in the order of the parts;
        None when nothing was assessed."""
        assessed = [score for score in self.scores if score.level is not None]
        return min(assessed, key=lambda score: score.level or 0).part if assessed else None
