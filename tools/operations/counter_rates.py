"""`counter_rates`: rates and ratios from snapshots of counters, without the windows of a reset."""

from itertools import pairwise
from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class Snapshot(Arguments):
    """The counters at one time."""

    at_s: float = Field(ge=0, le=1e10, description="Time of the snapshot in s")
    values: dict[str, float] = Field(
        min_length=1, max_length=20, description="Counters by name, as they stood"
    )


class CounterArguments(Arguments):
    """Arguments of counter_rates."""

    snapshots: list[Snapshot] = Field(
        min_length=2, max_length=500, description="Snapshots in order of time: at_s and values"
    )
    counter: str = Field(min_length=1, max_length=100, description="Counter whose rate is asked")
    over: str | None = Field(
        default=None, max_length=100, description="Counter that it is divided by, e.g. queries"
    )
    unit: str = Field(default="events", min_length=1, max_length=30, description="What it counts")


@tool(
    group="telemetry",
    example={
        "snapshots": [
            {"at_s": 0, "values": {"accepted": 1000, "drafts": 500}},
            {"at_s": 60, "values": {"accepted": 2440, "drafts": 1100}},
            {"at_s": 120, "values": {"accepted": 300, "drafts": 150}},
            {"at_s": 180, "values": {"accepted": 1500, "drafts": 650}},
        ],
        "counter": "accepted",
        "over": "drafts",
        "unit": "tokens",
    },
    drawing=Drawing(
        kind="bars",
        title="Rate of each window that can be used",
        x="until_s",
        x_label="end of the window, s",
        y_label="per second",
        series=(Series("rate", "rate"),),
    ),
)
def counter_rates(given: CounterArguments) -> Working:
    """Rate of a counter between snapshots, and its ratio to another, resets left out.

    Rates are sums of differences over sums of time; a ratio is one of differences, never of the
    values themselves or a mean of ratios. A window in which any counter fell is left out whole: how
    much came before the reset is not known.
    """
    rows = _windows(given)
    used = [row for row in rows if not row["reset"]]
    if not used:
        raise ToolError("snapshots", "…", "every window holds a reset: take them closer together")
    seconds, change = (sum(row[name] for row in used) for name in ("seconds", "change"))
    work = Working(headline="rate", source="differences of monotonic counters")
    work.put("rate", change / seconds, f"{given.unit}/s", f"{given.counter}, over the used windows")
    work.put("change", change, given.unit, "counted in the used windows", "count")
    work.put("used_s", seconds, "s", "in windows without a reset")
    work.put("resets", len(rows) - len(used), "windows", "left out", "count")
    work.formula = (
        f"{plain(change)} {given.unit} / {plain(seconds)} s = {plain(change / seconds)}/s"
    )
    if given.over is not None:
        _put_ratio(work, given, used, change)
    if len(rows) > len(used):
        work.warn(
            f"{counted(len(rows) - len(used), 'window')} left out: a counter fell, so the process "
            "restarted in it"
        )
    work.assume("a restart that ends above the old value cannot be seen in the counter itself")
    work.table = rows
    return work


def _windows(given: CounterArguments) -> list[dict[str, Any]]:
    names = [name for name in (given.counter, given.over) if name is not None]
    for number, snapshot in enumerate(given.snapshots):
        missing = [name for name in names if name not in snapshot.values]
        if missing:
            known = ", ".join(snapshot.values)
            raise ToolError(
                f"snapshots.{number}.values", missing[0], f"is not there; known: {known}"
            )
        if min(snapshot.values.values()) < 0:
            raise ToolError(f"snapshots.{number}.values", "…", "a counter is never negative")
    rows = []
    for before, after in pairwise(given.snapshots):
        if after.at_s <= before.at_s:
            raise ToolError("snapshots", after.at_s, "must come in order of time")
        shared = before.values.keys() & after.values.keys()
        change = after.values[given.counter] - before.values[given.counter]
        row: dict[str, Any] = {
            "until_s": after.at_s,
            "seconds": after.at_s - before.at_s,
            "change": change,
            "reset": any(after.values[name] < before.values[name] for name in shared),
        }
        if given.over is not None:
            row["over"] = after.values[given.over] - before.values[given.over]
        if not row["reset"]:
            row["rate"] = change / row["seconds"]
        rows.append(row)
    return rows


def _put_ratio(
    work: Working, given: CounterArguments, used: list[dict[str, Any]], change: float
) -> None:
    over = sum(row["over"] for row in used)
    if not over:
        raise ToolError("over", given.over, "did not move in any window that can be used")
    work.put("ratio", change / over, "x", f"{given.counter} over {given.over}, of differences")
    last = given.snapshots[-1].values
    if last[given.over or ""]:
        since = last[given.counter] / last[given.over or ""]
        work.put("ratio_since_start", since, "x", "of the last values: since the last restart")
    work.formula += f"; / {plain(over)} {given.over} = {plain(change / over)}"
