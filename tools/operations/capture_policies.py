"""`capture_policies`: CUDA-graph capture sets against KV pages and step time, with both gates."""

from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Policy(Arguments):
    """One set of captured batch sizes, as it was measured."""

    name: str = Field(min_length=1, max_length=60, description="What it captures")
    graph_gb: float = Field(ge=0, le=1e4, description="Memory of its graphs on a GPU in GB (1e9 B)")
    step_ms: float = Field(gt=0, le=1e6, description="Step at the stated percentile in ms")


class PolicyArguments(Arguments):
    """Arguments of capture_policies."""

    pool_gb: float = Field(
        ge=1e-3, le=1e5, description="Memory for graphs and KV cache of one GPU, in GB"
    )
    page_bytes: float = Field(ge=1, le=1e10, description="Bytes of one KV page over all layers")
    need_pages: int = Field(ge=0, le=10**10, description="KV pages that the workload needs")
    most_step_ms: float = Field(gt=0, le=1e6, description="Longest step that the target allows, ms")
    policies: list[Policy] = Field(
        min_length=1, max_length=20, description="Policies: name, graph_gb, step_ms"
    )


@tool(
    group="telemetry",
    example={
        "pool_gb": 30,
        "page_bytes": 5242880,
        "need_pages": 5200,
        "most_step_ms": 22,
        "policies": [
            {"name": "none (eager)", "graph_gb": 0, "step_ms": 31},
            {"name": "few sizes", "graph_gb": 1.2, "step_ms": 21},
            {"name": "every size", "graph_gb": 4.5, "step_ms": 19},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="KV pages left by each policy; the stroke is what is needed",
        x="policy",
        x_label="policy",
        y_label="pages",
        series=(Series("pages", "pages left"),),
        marker=Series("need_pages", "needed"),
    ),
)
def capture_policies(given: PolicyArguments) -> Working:
    """KV pages that each capture policy leaves, and which meets both capacity and latency.

    pages = floor((pool - graphs) / page bytes). Of those that pass both gates the one with the most
    pages left over is named; none may pass.
    """
    rows: list[dict[str, Any]] = []
    for number, policy in enumerate(given.policies):
        if policy.graph_gb >= given.pool_gb:
            raise ToolError(f"policies.{number}.graph_gb", policy.graph_gb, "leaves no KV cache")
        pages = int((given.pool_gb - policy.graph_gb) * GB / given.page_bytes)
        fits, fast = pages >= given.need_pages, policy.step_ms <= given.most_step_ms
        verdict = "passes" if fits and fast else "too few pages" if fast else "too slow"
        row = {"policy": policy.name, "pages": pages, "need_pages": given.need_pages}
        rows.append({**row, "step_ms": policy.step_ms, "verdict": verdict})
    passing = [row for row in rows if row["verdict"] == "passes"]
    best = max(passing, key=lambda row: row["pages"], default=None)
    most = max(row["pages"] for row in rows)
    work = Working(headline="passing", source="bytes over page size; measured steps")
    said = f"pass both gates; best {best['policy']}" if best else "pass both gates"
    work.put("passing", len(passing), "policies", said, "count")
    if best:
        work.put("spare_pages", best["pages"] - given.need_pages, "pages", "left over", "count")
    lost = most - min(row["pages"] for row in rows)
    work.put("largest_cost_pages", lost, "pages", "between leanest and fullest policy", "count")
    work.formula = "; ".join(
        f"{row['policy']}: {row['pages']:,} pages, {plain(row['step_ms'])} ms, {row['verdict']}"
        for row in rows
    )
    work.assume("GB is 1e9 bytes; steps were measured on one and the same workload")
    if not passing:
        work.warn("no policy meets both gates: capture fewer sizes, or lower the load")
    work.table = rows
    return work
