"""The one place where a model call is tried again: never once a word of it was heard."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from interviewer.errors import LLMError
from interviewer.llm.protocol import LLM, Hear, Reply, Request, unheard


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how long between: doubling from `first_wait_s`, half of it random."""

    attempts: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 8.0
    """An endpoint that asks for a longer pause is not asked again: the candidate is waiting."""

    def wait_s(self, attempt: int, error: LLMError) -> float | None:
        """Seconds to wait after this attempt (from 1); None to give up."""
        if not error.retryable or attempt >= self.attempts:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= self.longest_wait_s else None
        wait: float = self.first_wait_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)
        return min(wait, self.longest_wait_s)


class Retrying:
    """Any LLM, with its retryable failures tried again."""

    def __init__(
        self,
        llm: LLM,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.name = llm.name
        self.capabilities = llm.capabilities
        self._llm = llm
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._close = close

    async def aclose(self) -> None:
        """Close the model's connections."""
        if self._close is not None:
            await self._close()

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        """See `LLM.reply`; each attempt is one upstream request."""
        attempt = 1
        while True:
            try:
                return await self._llm.reply(request, hear)
            except LLMError as error:
                wait = self._policy.wait_s(attempt, error)
                if wait is None:
                    raise
            await self._sleep(wait)
            attempt += 1
