"""The one timer of a stream."""

import asyncio
import time
from collections.abc import Awaitable

import pytest

from interviewer.llm.patience import Patience

pytestmark = pytest.mark.anyio


async def never() -> None:
    await asyncio.Event().wait()


async def wait(patience: Patience, awaitable: Awaitable[None]) -> None:
    """As a reader waits."""
    try:
        await awaitable
    except asyncio.CancelledError as error:
        if not patience.has_run_out():
            raise
        raise TimeoutError from error


async def test_a_wait_past_the_deadline_times_out() -> None:
    patience = Patience(0.01)
    with pytest.raises(TimeoutError):
        await wait(patience, never())


async def test_a_shorter_deadline_takes_the_place_of_a_longer_one() -> None:
    patience = Patience(60)
    patience.renew("next token", 0.01)
    with pytest.raises(TimeoutError):
        await wait(patience, never())


async def test_a_deadline_that_was_moved_before_it_was_looked_at_does_not_count() -> None:
    patience = Patience(0.01)
    time.sleep(0.02)
    patience.renew("next token", 60)
    await wait(patience, asyncio.sleep(0.15))
    patience.close()


async def test_a_closed_patience_cancels_nothing() -> None:
    patience = Patience(0.01)
    patience.close()
    await wait(patience, asyncio.sleep(0.05))


async def test_a_wait_cancelled_from_elsewhere_is_cancelled() -> None:
    async def patient() -> None:
        await wait(Patience(60), never())

    waiting = asyncio.create_task(patient())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
