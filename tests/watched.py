"""`viva serve` that watches its own event loop: `python -P watched.py FILE` writes what it saw.

A line for each late turn of the loop: how long the process was at work without letting it have its
turn, in pieces of work, so that neither a slow machine nor another process is taken for a fault.
"""

import asyncio
import gc
import sys
import time
from pathlib import Path

from interviewer.settings import load_settings
from web.server import serve

STEP_S = 0.005
LATE_S = 0.02
_watching: "list[asyncio.Task[None]]" = []


def piece_of_work_s() -> float:
    """CPU seconds that this machine takes, at this moment, for what takes 20 ms on one of 2024."""
    begun = time.thread_time()
    sum(number * number for number in range(640_000))
    return time.thread_time() - begun


def queued_s() -> float:
    """Seconds for which this thread has waited for a processor (Linux)."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


async def watch(seen: Path) -> None:
    with seen.open("a", buffering=1) as file:
        while True:
            begun, queued, worked = time.monotonic(), queued_s(), time.process_time()
            await asyncio.sleep(STEP_S)
            late = time.monotonic() - begun - (queued_s() - queued) - STEP_S
            # Late without any work of this process is the disk of the machine, or a pause of it.
            held = min(late, time.process_time() - worked)
            if held > LATE_S:
                file.write(f"{held / piece_of_work_s():.2f}\n")


def main(seen: Path) -> None:
    gc.disable()  # as the command does
    serve(
        load_settings(),
        lambda url: _watching.append(asyncio.get_running_loop().create_task(watch(seen))),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
