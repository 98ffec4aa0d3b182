"""What a run may spend, and what it has spent so far, by role; asked before every model call."""

import re
import time
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

from interviewer.events import Usage

_ENTRY = re.compile(r"(calls|tokens|minutes|usd)=(\d+(?:\.\d+)?)(k|M)?")
_FACTOR = {"": 1, "k": 1_000, "M": 1_000_000}


class BudgetSpent(Exception):
    """The run has used what it was given; the message says which limit."""


class Budget(BaseModel):
    """Hard limits of a run; None is no limit."""

    model_config = ConfigDict(frozen=True)

    calls: int | None = None
    tokens: int | None = None
    minutes: float | None = None
    usd: float | None = None
    prices: tuple[float, float] | None = None
    """US dollars for a million prompt tokens and a million completion tokens."""

    @classmethod
    def parse(cls, text: str, prices: str = "") -> "Budget":
        """From 'calls=500,tokens=2M,minutes=30,usd=3' and '0.5/1.5'. Raises ValueError."""
        limits: dict[str, float] = {}
        for entry in filter(None, (part.strip() for part in text.split(","))):
            found = _ENTRY.fullmatch(entry)
            if not found:
                raise ValueError(f"{entry!r}: give calls=, tokens=, minutes= or usd= with a number")
            name, number, factor = found.groups()
            limits[name] = float(number) * _FACTOR[factor or ""]
        if "usd" in limits and not prices:
            raise ValueError("usd= needs --price IN/OUT, US dollars for a million tokens")
        return cls.model_validate({**limits, "prices": _prices(prices) if prices else None})

    def cost(self, spent: "Spent") -> float | None:
        """US dollars of what was spent; None without prices."""
        if self.prices is None:
            return None
        prompt, completion = self.prices
        return (spent.prompt_tokens * prompt + spent.completion_tokens * completion) / 1e6


class Spent(BaseModel):
    """Calls and tokens; calls that were taken from the log cost nothing and stand apart."""

    calls: int = 0
    recalled: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Meter:
    """Counts calls and tokens by role, and says when a limit is reached."""

    def __init__(
        self, budget: Budget | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.budget = budget or Budget()
        self.by_role: dict[str, Spent] = {}
        self._now = now
        self._started = now()

    def check(self) -> None:
        """Raises BudgetSpent where one more call would go over a limit."""
        spent, budget = self.total, self.budget
        tokens = spent.prompt_tokens + spent.completion_tokens
        minutes = (self._now() - self._started) / 60
        cost = budget.cost(spent)
        for name, used, limit in (
            ("calls", spent.calls, budget.calls),
            ("tokens", tokens, budget.tokens),
            ("minutes", minutes, budget.minutes),
            ("usd", cost or 0.0, budget.usd),
        ):
            if limit is not None and used >= limit:
                raise BudgetSpent(f"the budget of {name}={limit:g} is spent")

    def begin(self, role: str) -> None:
        """Count a call that is about to be made; raises BudgetSpent instead."""
        self.check()
        self._of(role).calls += 1

    def spend(self, role: str, usage: Usage) -> None:
        """Add the tokens of a finished call."""
        spent = self._of(role)
        spent.prompt_tokens += usage.prompt_tokens
        spent.completion_tokens += usage.completion_tokens

    def recall(self, role: str) -> None:
        """Count a reply that was taken from the log."""
        self._of(role).recalled += 1

    @property
    def total(self) -> Spent:
        """All roles together."""
        roles = list(self.by_role.values())
        return Spent(
            calls=sum(r.calls for r in roles),
            recalled=sum(r.recalled for r in roles),
            prompt_tokens=sum(r.prompt_tokens for r in roles),
            completion_tokens=sum(r.completion_tokens for r in roles),
        )

    def _of(self, role: str) -> Spent:
        return self.by_role.setdefault(role, Spent())


def _prices(text: str) -> tuple[float, float]:
    try:
        prompt, completion = (float(part) for part in text.split("/"))
    except ValueError:
        raise ValueError(f"{text!r}: give two prices, as 0.5/1.5") from None
    return prompt, completion


class RoleUse(BaseModel):
    """A role's spending, for the report."""

    model_config = ConfigDict(frozen=True)

    role: str
    model: str
    spent: Spent = Field(default_factory=Spent)
