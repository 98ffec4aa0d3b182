"""What was found out about an endpoint, and what Viva makes of it. Plain values, no network."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from interviewer.llm.protocol import Capabilities

Ability = Literal[
    "streaming",
    "tools_forced",
    "tools_strict",
    "tools_free",
    "json_schema",
    "prompt_details",
    "prefix_cache",
    "cache_salt",
    "priority",
    "messages_api",
]
State = Literal["yes", "no", "ignored", "unknown"]
"""'no' was refused, 'ignored' was accepted without any effect, 'unknown' could not be told."""


class Finding(BaseModel):
    """One ability as it was tried."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    ability: Ability
    state: State
    detail: str


class Report(BaseModel):
    """Everything found about one model of one endpoint, as of one version of its server."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    base_url: str
    model: str
    version: str
    at: datetime
    findings: tuple[Finding, ...]

    def state(self, ability: Ability) -> State:
        """How an ability was found; 'unknown' where it was not tried."""
        return next((f.state for f in self.findings if f.ability == ability), "unknown")

    @property
    def capabilities(self) -> Capabilities:
        """What Viva may rely on. What could not be told is taken as there: it does no harm."""
        free, forced = self.state("tools_free"), self.state("tools_forced")
        return Capabilities(
            tools=free == "yes" or (free == "unknown" and forced in ("yes", "unknown")),
            json_schema=self.state("json_schema") in ("yes", "unknown"),
            priority=self.state("priority") in ("yes", "unknown"),
            cache_salt=self.state("cache_salt") in ("yes", "unknown"),
        )

    @property
    def strict_tools(self) -> bool:
        """Whether `strict` may be sent: an endpoint that refuses it would refuse every call."""
        return self.state("tools_strict") != "no"

    @property
    def suffices(self) -> bool:
        """Whether rounds can be played and judged with it as they should be."""
        seen = self.state("streaming") == "yes" and self.state("json_schema") == "yes"
        return seen and self.capabilities.tools
