"""`memory_growth`: a leak as bytes per request, which rules out whatever is of another size."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Suspect(Arguments):
    """Something that a request could leave behind."""

    name: str = Field(min_length=1, max_length=60, description="What it is, e.g. prompt text")
    bytes_per_request: float = Field(ge=1, le=1e12, description="Its bytes per request")


class GrowthArguments(Arguments):
    """Arguments of memory_growth."""

    growth_mb_per_h: float = Field(ge=1e-6, le=1e9, description="Growth in MB (1e6 B) per hour")
    requests_per_h: float = Field(ge=1e-3, le=1e12, description="Requests per hour meanwhile")
    free_gb: float | None = Field(
        default=None, ge=0, le=1e6, description="Memory left in GB (1e9 B) at the start"
    )
    factor: float = Field(
        default=3, ge=1, le=1000, description="Most by which a suspect's size may be off"
    )
    suspects: list[Suspect] = Field(
        default=[], max_length=30, description="Suspects: name and bytes_per_request"
    )


@tool(
    group="telemetry",
    example={
        "growth_mb_per_h": 300,
        "requests_per_h": 36000,
        "free_gb": 6,
        "suspects": [
            {"name": "prompt text", "bytes_per_request": 8000},
            {"name": "log probabilities", "bytes_per_request": 400000},
            {"name": "image embedding", "bytes_per_request": 20000000},
            {"name": "request object", "bytes_per_request": 4000},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Size of each suspect as a multiple of the leak (stroke: 1), cut at 5",
        x="suspect",
        x_label="suspect",
        y_label="times the leak",
        series=(Series("shown", "suspect"),),
        marker=Series("leak", "leak"),
    ),
)
def memory_growth(given: GrowthArguments) -> Working:
    """Growth per hour as bytes per request, time until memory is full, and suspects of that size.

    A suspect whose bytes are off by more than the factor is ruled out, if every request leaves the
    same behind. The KV pool is allocated at the start: it does not grow.
    """
    names = [suspect.name for suspect in given.suspects]
    if len(set(names)) < len(names):
        raise ToolError("suspects", "…", "each needs a name of its own")
    each = given.growth_mb_per_h * 1e6 / given.requests_per_h
    work = Working(headline="bytes_per_request", source="growth over requests")
    work.put("bytes_per_request", each, "B/request", "left behind by each request", "estimate")
    if given.free_gb is not None:
        hours = given.free_gb * 1e3 / given.growth_mb_per_h
        work.put("hours_left", hours, "h", "until memory is full", "estimate")
    rows = [_row(suspect, each, given.factor) for suspect in given.suspects]
    possible = [str(row["suspect"]) for row in rows if row["verdict"] == "possible"]
    if rows:
        work.put("possible", len(possible), "suspects", ", ".join(possible) or "none", "count")
        work.warn("none of the suspects is of this size: look further" if not possible else "")
    work.formula = (
        f"{plain(given.growth_mb_per_h)} MB/h / {plain(given.requests_per_h)} requests/h = "
        f"{plain(each)} B/request"
    )
    work.assume(
        "growth follows the requests: halve the traffic and see whether it halves",
        "an allocator that keeps freed memory levels off; a leak does not",
    )
    work.table = rows or [{"suspect": "leak", "bytes": each, "shown": 1.0, "leak": 1.0}]
    return work


def _row(suspect: Suspect, each: float, factor: float) -> dict[str, float | str]:
    off = suspect.bytes_per_request / each
    return {
        "suspect": suspect.name,
        "bytes": suspect.bytes_per_request,
        "ratio": off,
        "shown": min(off, 5.0),
        "leak": 1.0,
        "verdict": "possible" if 1 / factor <= off <= factor else "ruled out",
    }
