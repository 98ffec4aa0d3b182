"""`idle_capacity`: what a fleet sized for its peak leaves idle, and the batch work it could do."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class IdleArguments(Arguments):
    """Arguments of idle_capacity."""

    busy: list[float] = Field(
        min_length=1,
        max_length=168,
        description="Replicas that interactive traffic keeps busy, one value an hour",
    )
    max_utilisation: float = Field(
        default=0.7, ge=0.05, le=1, description="Share of a replica that interactive load may fill"
    )
    replicas: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Replicas there are; default: for the peak"
    )
    reserve: float = Field(
        default=0, ge=0, le=1e6, description="Replicas kept clear of batch work for sudden load"
    )
    kv_gb: float | None = Field(
        default=None, ge=1e-3, le=1e6, description="KV cache in GB that batch may hold per replica"
    )
    kv_bytes_per_token: float | None = Field(
        default=None, ge=1, le=1e9, description="KV bytes per token of the batch model"
    )
    context: float | None = Field(
        default=None, ge=1, le=1e8, description="Mean tokens cached per batch sequence"
    )
    step_ms: float | None = Field(
        default=None, ge=1e-3, le=1e5, description="Decode step in ms with that many sequences"
    )


@tool(
    group="fleet_capacity",
    example={
        "busy": [
            *[12, 10, 9, 8, 9, 12, 18, 28, 40, 52, 60, 66],
            *[70, 68, 64, 60, 56, 52, 46, 40, 34, 28, 22, 16],
        ],
        "max_utilisation": 0.7,
        "reserve": 5,
        "kv_gb": 50,
        "kv_bytes_per_token": 163840,
        "context": 3000,
        "step_ms": 35,
    },
    drawing=Drawing(
        kind="bars",
        title="Replicas through the hours: busy, kept clear, free for batch",
        x="hour",
        x_label="hour",
        y_label="replicas",
        series=(
            Series("busy", "interactive"),
            Series("clear", "kept clear"),
            Series("free", "free"),
        ),
    ),
)
def idle_capacity(given: IdleArguments) -> Working:
    """Idle replica-hours of a fleet sized for its peak, and the batch tokens they could make.

    Fleet = ceil(peak / utilisation). Batch throughput per free replica = sequences / step, with
    sequences = KV bytes / (context x bytes per token): memory, not compute, is its limit.
    """
    if min(given.busy) < 0 or max(given.busy) > 1e6:
        raise ToolError("busy", "…", "must be 0 to 1,000,000 replicas each")
    if not max(given.busy):
        raise ToolError("busy", "…", "is zero in every hour")
    needed = max(1, ceil(max(given.busy) / given.max_utilisation - 1e-9))
    fleet = given.replicas or needed
    if fleet < max(given.busy):
        raise ToolError("replicas", fleet, f"is below the peak of {plain(max(given.busy))} busy")
    rows = [_hour(hour, busy, fleet, given.reserve) for hour, busy in enumerate(given.busy)]
    idle = sum(fleet - busy for busy in given.busy)
    free = sum(row["free"] for row in rows)
    total = fleet * len(given.busy)
    work = Working(headline="idle_hours", source="replica-hours")
    work.put("idle_hours", idle, "replica h", f"idle in {len(given.busy)} h")
    work.put("idle_share", idle / total, "fraction", "of all replica-hours")
    work.put("free_hours", free, "replica h", "free for batch, reserve kept clear")
    work.put("fleet", fleet, "replicas", "in the fleet", "count")
    if fleet < needed:
        work.warn(f"{needed:,} replicas would keep the peak at {plain(given.max_utilisation)}")
    _put_batch(work, given, free)
    work.formula = (
        f"ceil({plain(max(given.busy))} / {plain(given.max_utilisation)}) = {needed:,}; "
        f"{fleet:,} x {len(given.busy)} h - {plain(sum(given.busy))} busy = {plain(idle)} replica h"
    )
    work.assume("batch work yields at once to interactive load, and loses nothing by it")
    work.table = list(rows)
    return work


def _hour(hour: int, busy: float, fleet: int, reserve: float) -> dict[str, float]:
    clear = min(reserve, fleet - busy)
    return {"hour": hour, "busy": busy, "clear": clear, "free": fleet - busy - clear}


def _put_batch(work: Working, given: IdleArguments, free: float) -> None:
    parts = {
        "kv_gb": given.kv_gb,
        "kv_bytes_per_token": given.kv_bytes_per_token,
        "context": given.context,
        "step_ms": given.step_ms,
    }
    missing = [name for name, value in parts.items() if value is None]
    if len(missing) == 4:
        return
    if missing:
        raise ToolError(missing[0], None, f"is needed for batch tokens: give all of {list(parts)}")
    pool, row, context, step = (float(value or 0) for value in parts.values())
    sequences = int(pool * GB / (row * context))
    if not sequences:
        raise ToolError("kv_gb", given.kv_gb, "does not hold one batch sequence")
    rate = sequences / step * 1e3
    work.put("sequences", sequences, "sequences", "that a replica's cache holds", "count")
    work.put("batch_tokens_per_s", rate, "tokens/s", "of one free replica", "estimate")
    work.put("batch_tokens", rate * free * 3600, "tokens", "made in the free hours", "estimate")
