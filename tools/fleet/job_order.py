"""`job_order`: the same jobs first come first served, shortest first, and in slices."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from statistics import fmean

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

MOST_SLICES = 20_000
Jobs = Sequence["Job"]


class Job(Arguments):
    """One job for the one server."""

    name: str = Field(default="", max_length=40, description="What the table calls it")
    arrival_s: float = Field(default=0, ge=0, le=1e6, description="Time of arrival in s")
    service_s: float = Field(ge=1e-6, le=1e5, description="Work in s of the whole server")


class OrderArguments(Arguments):
    """Arguments of job_order."""

    jobs: list[Job] = Field(
        min_length=1, max_length=200, description="Jobs: name, arrival_s and service_s in s"
    )
    slice_s: float = Field(
        default=0.1, ge=1e-4, le=1e4, description="Slice in s of the round robin (a prefill chunk)"
    )


@tool(
    group="queueing",
    example={
        "jobs": [
            {"name": "32K prompt", "service_s": 1.2},
            *({"name": f"short {n}", "service_s": 0.03} for n in range(1, 11)),
        ],
        "slice_s": 0.1,
    },
    drawing=Drawing(
        kind="line",
        title="Time from arrival to completion of each job",
        x="job",
        x_label="job, in order of arrival",
        y_label="seconds",
        series=(
            Series("fcfs_s", "first come"),
            Series("shortest_s", "shortest"),
            Series("sliced_s", "slices"),
        ),
    ),
)
def job_order(given: OrderArguments) -> Working:
    """Completion times of jobs on one server under three orders, and who pays for each.

    First come first served and shortest first do not interrupt; slices go round robin. Shortest
    needs the length in advance: a prefill's is known, a reply's is not.
    """
    jobs = sorted(given.jobs, key=lambda job: job.arrival_s)
    if sum(job.service_s for job in jobs) / given.slice_s > MOST_SLICES:
        raise ToolError("slice_s", given.slice_s, f"makes more than {MOST_SLICES:,} slices")
    work = Working(headline="mean_shortest_s", source="single-server scheduling")
    runs = {
        "fcfs": _first_come(jobs),
        "shortest": _shortest(jobs),
        "sliced": _sliced(jobs, given.slice_s),
    }
    spoken = {
        "fcfs": "first come first served",
        "shortest": "shortest first",
        "sliced": f"slices of {plain(given.slice_s)} s",
    }
    for name, times in runs.items():
        work.put(f"mean_{name}_s", fmean(times), "s", f"mean completion, {spoken[name]}")
        work.put(f"worst_{name}_s", max(times), "s", f"worst completion, {spoken[name]}")
    work.formula = "; ".join(
        f"{spoken[name]}: mean {plain(fmean(times))} s, worst {plain(max(times))} s"
        for name, times in runs.items()
    )
    work.assume(
        "one server at full speed, no cost to switch; lengths are known",
        "shortest first can starve long jobs: age them",
    )
    work.table = [
        {
            "job": number,
            "name": job.name or f"job {number}",
            "service_s": job.service_s,
            **{f"{name}_s": times[number - 1] for name, times in runs.items()},
        }
        for number, job in enumerate(jobs, 1)
    ]
    return work


def _first_come(jobs: Jobs) -> list[float]:
    return _run(jobs, lambda _: 0.0)


def _shortest(jobs: Jobs) -> list[float]:
    return _run(jobs, lambda job: job.service_s)


def _run(jobs: Jobs, rank: Callable[[Job], float]) -> list[float]:
    """Response of each job where the waiting one of the least rank runs to its end."""
    waiting: list[tuple[float, int]] = []
    now, next_in, done = 0.0, 0, dict[int, float]()
    while len(done) < len(jobs):
        if not waiting:
            now = max(now, jobs[next_in].arrival_s)
        while next_in < len(jobs) and jobs[next_in].arrival_s <= now:
            heappush(waiting, (rank(jobs[next_in]), next_in))
            next_in += 1
        _, index = heappop(waiting)
        now += jobs[index].service_s
        done[index] = now - jobs[index].arrival_s
    return _in_order(done)


def _sliced(jobs: Jobs, size: float) -> list[float]:
    """Response of each job under round robin; one that arrives meanwhile goes before the rest."""
    left = [job.service_s for job in jobs]
    queue: deque[int] = deque()
    now, next_in, done = 0.0, 0, dict[int, float]()
    while len(done) < len(jobs):
        if not queue:
            now = max(now, jobs[next_in].arrival_s)
            queue.append(next_in)
            next_in += 1
        index = queue.popleft()
        spent = min(size, left[index])
        now, left[index] = now + spent, left[index] - spent
        while next_in < len(jobs) and jobs[next_in].arrival_s <= now:
            queue.append(next_in)
            next_in += 1
        if left[index] > 1e-12:
            queue.append(index)
        else:
            done[index] = now - jobs[index].arrival_s
    return _in_order(done)


def _in_order(done: Mapping[int, float]) -> list[float]:
    return [done[index] for index in range(len(done))]
