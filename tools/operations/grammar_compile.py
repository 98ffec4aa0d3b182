"""`grammar_compile`: what compiling schemas costs, in the scheduler's thread and in workers."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.waiting import Queue
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class CompileArguments(Arguments):
    """Arguments of grammar_compile."""

    compile_ms: float = Field(ge=1e-3, le=1e6, description="Time to compile one schema in ms")
    requests_per_s: float = Field(ge=1e-6, le=1e6, description="Constrained requests/s")
    new_share: float = Field(
        ge=0, le=1, description="Share of them whose schema is not in the cache"
    )
    step_ms: float = Field(ge=1e-3, le=1e5, description="Step of the engine in ms")
    threads: int = Field(default=1, ge=1, le=512, description="Worker threads that compile")
    batch: int = Field(default=1, ge=1, le=100_000, description="Sequences that are decoding")


@tool(
    group="grammar",
    example={
        "compile_ms": 120,
        "requests_per_s": 20,
        "new_share": 0.1,
        "step_ms": 20,
        "threads": 2,
        "batch": 64,
    },
    drawing=Drawing(
        kind="line",
        title="Share of the engine's time lost if the scheduler compiles itself",
        x="new_share",
        x_label="share of requests with a new schema",
        y_label="share of the time",
        series=(Series("stalled", "stalled"),),
    ),
)
def grammar_compile(given: CompileArguments) -> Working:
    """Cost of compiling schemas for the whole batch, and for the one request, by where it runs.

    In the scheduler every compile stops all sequences for compile time; in worker threads only the
    request that brought the schema waits: compile + its queue (M/M/c).
    """
    rate = given.requests_per_s * given.new_share
    busy = rate * given.compile_ms / 1e3
    work = Working(headline="stalled", source="rate x compile time; Erlang C for the workers")
    work.put("stalled", min(1.0, busy), "fraction", "of the time, compiling in the scheduler")
    work.put("compiles_per_s", rate, "compiles/s", "schemas that miss the cache")
    stall = given.compile_ms / given.step_ms
    work.put("steps_lost", stall, "steps", "that each running sequence waits per compile")
    work.put("token_ms_lost", rate * given.compile_ms * given.batch, "token ms/s", "over the batch")
    _put_workers(work, given, rate)
    work.formula = (
        f"{plain(given.requests_per_s)}/s x {plain(given.new_share)} x {plain(given.compile_ms)} "
        f"ms = {plain(busy * 100)} % of the scheduler's time; {plain(stall)} steps per compile"
    )
    work.assume(
        "compile times as exponential for the workers' queue",
        "a cached schema costs nothing; the prefill of a waiting request may go on meanwhile",
    )
    if busy >= 1:
        work.warn("the scheduler would do nothing but compile: it falls behind without end")
    shares = sorted({0.01, 0.05, 0.1, 0.25, 0.5, 1.0, given.new_share})
    each = given.requests_per_s * given.compile_ms / 1e3
    work.table = [{"new_share": share, "stalled": min(1.0, share * each)} for share in shares]
    return work


def _put_workers(work: Working, given: CompileArguments, rate: float) -> None:
    if not rate:
        return
    queue = Queue(rate, given.compile_ms / 1e3, 1.0, given.threads)
    if queue.utilisation >= 1:
        raise ToolError(
            "threads",
            given.threads,
            f"cannot keep up: {plain(queue.utilisation * given.threads)} are busy on the mean",
        )
    wait = queue.mean_wait * 1e3
    work.put("worker_busy", queue.utilisation, "fraction", "of the workers' time", "estimate")
    cold = given.compile_ms + wait
    work.put("cold_ms", cold, "ms", "a new schema delays its own request", "estimate")
    mean = cold * given.new_share
    work.put("mean_ms", mean, "ms", "added per request on the mean", "estimate")
