"""How long a test waits for what is to come: a busy machine takes its time, and only a fault takes
all of this.
"""

import asyncio
import time
from collections.abc import Callable

PATIENCE_S = 60.0


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until the condition holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.001)


def wait_until(condition: Callable[[], bool]) -> None:
    """Let other threads and processes run until the condition holds."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.01)
