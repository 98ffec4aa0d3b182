"""One evaluated repetition of a case: a state, and what came of it. A failure is never a score."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

State = Literal["scored", "unscored", "parse_failed", "refused", "timeout", "error"]


class Sample(BaseModel):
    """What was found for one case in one repetition."""

    model_config = ConfigDict(frozen=True)

    case: str
    repeat: int = 0
    state: State
    reason: str = ""
    """Why there is no score."""
    found: dict[str, Any] = Field(default_factory=dict)
    """Levels, checks, quotes: whatever the subject yields; empty unless scored."""


class Unscored(Exception):
    """Raised in an evaluation to end a sample without a score."""

    def __init__(self, state: State, reason: str) -> None:
        super().__init__(reason)
        self.state: State = state
        self.reason = reason
