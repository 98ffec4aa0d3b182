"""What a run found, as it is written to JSON and shown on the page: plain values, no statistics."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evals.budget import RoleUse
from evals.sample import Sample


class Frozen(BaseModel):
    """A value: immutable. Unknown fields are ignored: an older Viva reads a newer report."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class CaseResult(Frozen):
    """One case: its state, and for each aspect what came out and whether that is a pass."""

    id: str
    state: str
    reason: str = ""
    passed: dict[str, bool] = Field(default_factory=dict)
    shown: dict[str, str] = Field(default_factory=dict)
    """By aspect: what came out, in a word or two."""
    detail: str = ""
    """For the reader of a case that did not pass."""

    @property
    def ok(self) -> bool:
        """Scored, and passed in every aspect."""
        return self.state == "scored" and all(self.passed.values())


class Counts(Frozen):
    """How many samples ended in each state."""

    scored: int = 0
    unscored: int = 0
    parse_failed: int = 0
    refused: int = 0
    timeout: int = 0
    error: int = 0

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> "Counts":
        """The counts of these samples."""
        states = [sample.state for sample in samples]
        return cls.model_validate({state: states.count(state) for state in set(states)})

    @property
    def total(self) -> int:
        """All samples."""
        return sum(getattr(self, name) for name in type(self).model_fields)


class RunRecord(Frozen):
    """Everything that must be known to repeat a run."""

    schema_version: int = 1
    subject: Literal["scorer", "judge", "interviewer", "tools", "voice"]
    identity: str
    """Who was evaluated: scorer or model with version."""
    roles: tuple[RoleUse, ...] = ()
    commit: str = ""
    dirty: bool = False
    cases: dict[str, str] = Field(default_factory=dict)
    """Content hash by file of cases."""
    hashes: dict[str, str] = Field(default_factory=dict)
    """Rubrics and prompts."""
    repeats: int = 1
    settings: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: datetime
    finished: datetime
    notices: tuple[str, ...] = ()
    """What a reader must know: a judge that judges itself, a spent budget."""
