"""Whether a request with priority passes those that wait: a queue is filled, then it is looked.

An endpoint that schedules first come, first served takes `priority` with 200 as well.
"""

import asyncio
import time
from dataclasses import dataclass

from interviewer.models.findings import Finding, State
from interviewer.models.metrics import read_metrics
from interviewer.models.wire import Answer, Wire

LOADS = (16, 64, 256)
"""How many requests are sent to fill the seats of the server."""
BATCH, URGENT = 10, 0
_QUEUE_S = 3.0


@dataclass(frozen=True, slots=True)
class _Race:
    """Seconds at which the early requests of low priority and the late urgent ones were done."""

    low: tuple[float, ...]
    urgent: tuple[float, ...]


async def try_priority(wire: Wire) -> list[Finding]:
    """Two urgent requests, sent last, against two that wait already."""
    trial = await wire.chat("Say yes.", priority=BATCH, max_tokens=1)
    if not trial.ok:
        return [_found("no", trial.refusal)]
    if await _waiting(wire) is None:
        return [_found("unknown", "no /metrics that show a queue")]
    for load in LOADS:
        race = await _race(wire, load)
        if race is not None:
            return [_judged(race)]
    return [_found("unknown", f"{LOADS[-1]} requests at once did not fill its queue")]


def _judged(race: _Race) -> Finding:
    low, urgent = min(race.low), max(race.urgent)
    if urgent < low:
        return _found("yes", f"urgent requests were done {low - urgent:.2f} s before earlier ones")
    if min(race.urgent) > max(race.low):
        return _found("ignored", "first come, first served; vLLM: --scheduling-policy priority")
    return _found("unknown", "the urgent requests came in the midst of the others")


async def _race(wire: Wire, load: int) -> _Race | None:
    """None where no queue formed."""
    crowd = [asyncio.create_task(_one(wire, BATCH, 48)) for _ in range(load)]
    try:
        if not await _queued(wire):
            return None
        low = [asyncio.create_task(_one(wire, BATCH, 1)) for _ in range(2)]
        await asyncio.sleep(0.3)
        urgent = [asyncio.create_task(_one(wire, URGENT, 1)) for _ in range(2)]
        done = await asyncio.gather(*low, *urgent)
        return _Race(tuple(done[:2]), tuple(done[2:]))
    finally:
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)


async def _one(wire: Wire, priority: int, tokens: int) -> float:
    """When a request was done. All of them differ, so that none is answered from a cache."""
    more = {"priority": priority, "max_tokens": tokens, "ignore_eos": True}
    answer: Answer = await wire.chat(f"Number {time.monotonic_ns()}. Count on.", **more)
    return time.monotonic() if answer.ok else float("inf")


async def _queued(wire: Wire) -> bool:
    end = time.monotonic() + _QUEUE_S
    while time.monotonic() < end:
        if await _waiting(wire):
            return True
        await asyncio.sleep(0.05)
    return False


async def _waiting(wire: Wire) -> float | None:
    metrics = read_metrics(await wire.get(f"{wire.root}/metrics") or "")
    return metrics.get("vllm:num_requests_waiting")


def _found(state: State, detail: str) -> Finding:
    return Finding(ability="priority", state=state, detail=detail)
