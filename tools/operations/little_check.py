"""`little_check`: holds gauges and latency histograms against each other with Little's law."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class CheckArguments(Arguments):
    """Arguments of little_check."""

    finished_per_s: float = Field(ge=1e-6, le=1e7, description="Requests finished per second")
    latency_s: float = Field(
        ge=1e-6, le=1e6, description="Mean latency in s of the same window (sum over count)"
    )
    running: float = Field(ge=0, le=1e7, description="Mean of the gauge of running requests")
    waiting: float = Field(ge=0, le=1e7, description="Mean of the gauge of waiting requests")
    queue_s: float | None = Field(
        default=None, ge=0, le=1e6, description="Mean queue time in s, if it is a metric"
    )
    tolerance: float = Field(
        default=0.1, ge=0.001, le=1, description="Relative difference that is taken as agreement"
    )


@tool(
    group="telemetry",
    example={
        "finished_per_s": 12,
        "latency_s": 6.5,
        "running": 70,
        "waiting": 38,
        "queue_s": 3.1,
    },
    drawing=Drawing(
        kind="bars",
        title="Requests in the system: by the gauges and by Little's law",
        x="part",
        x_label="count",
        y_label="requests",
        series=(Series("requests", "requests"),),
    ),
)
def little_check(given: CheckArguments) -> Working:
    """Check that gauges and latencies agree: requests in the system = rate x mean latency.

    A difference names its size in seconds: time that requests spend where the latency's clock does
    not run, or requests that no gauge counts. The mean, never a percentile, enters the law.
    """
    seen = given.running + given.waiting
    if not seen:
        raise ToolError("running", 0, "nothing runs and nothing waits, but requests finish")
    expected = given.finished_per_s * given.latency_s
    missing = seen / given.finished_per_s - given.latency_s
    work = Working(headline="agreement", source="Little (1961)")
    work.put("agreement", expected / seen, "x", "rate x latency over the gauges")
    work.put("expected", expected, "requests", "rate x latency")
    work.put("seen", seen, "requests", "running + waiting")
    work.put("missing_s", missing, "s", "latency that the gauges imply beyond the histogram's")
    work.table = [
        {"part": "running + waiting", "requests": seen},
        {"part": "rate x latency", "requests": expected},
    ]
    if given.queue_s is not None:
        queued = given.finished_per_s * given.queue_s
        work.put("expected_waiting", queued, "requests", "rate x queue time")
        work.put("waiting_gap", given.waiting - queued, "requests", "gauge less rate x queue time")
        work.table += [
            {"part": "waiting", "requests": given.waiting},
            {"part": "rate x queue time", "requests": queued},
        ]
    work.formula = (
        f"{plain(given.finished_per_s)}/s x {plain(given.latency_s)} s = {plain(expected)} against "
        f"{plain(given.running)} + {plain(given.waiting)} = {plain(seen)} requests"
    )
    work.assume("a steady window: as many begin as end; mean of latency, not its median")
    if expected < seen * (1 - given.tolerance):
        work.warn(
            f"the latency leaves out {plain(missing)} s: its clock starts late or ends early, or "
            "requests were aborted and never entered the histogram"
        )
    elif expected > seen * (1 + given.tolerance):
        work.warn("requests spend time where no gauge counts them, e.g. before the engine's queue")
    return work
