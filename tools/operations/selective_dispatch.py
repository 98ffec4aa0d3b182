"""`selective_dispatch`: whether a faster kernel pays, shape by shape, where it is right at all."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Shape(Arguments):
    """Timings of one shape."""

    name: str = Field(min_length=1, max_length=60, description="Shape, e.g. batch 8, context 4K")
    calls: float = Field(ge=0, le=1e12, description="Calls of this shape in the workload")
    old_us: float = Field(gt=0, le=1e9, description="Time in us of the kernel in use")
    new_us: float = Field(gt=0, le=1e9, description="Time in us of the new one")
    correct: bool = Field(default=True, description="Whether the new one is right on this shape")


class DispatchArguments(Arguments):
    """Arguments of selective_dispatch."""

    shapes: list[Shape] = Field(
        min_length=1, max_length=100, description="Shapes: name, calls, old_us, new_us, correct"
    )
    dispatch_us: float = Field(
        default=0, ge=0, le=1e6, description="Time in us that choosing costs every call"
    )


@tool(
    group="telemetry",
    example={
        "shapes": [
            {"name": "1 x 1K", "calls": 5000, "old_us": 22, "new_us": 27},
            {"name": "8 x 4K", "calls": 3000, "old_us": 60, "new_us": 44},
            {"name": "64 x 8K", "calls": 2000, "old_us": 420, "new_us": 300},
            {"name": "8 ragged", "calls": 1000, "old_us": 70, "new_us": 45, "correct": False},
        ],
        "dispatch_us": 1,
    },
    drawing=Drawing(
        kind="bars",
        title="Time of each shape in the workload: as dispatched, and as now (stroke)",
        x="shape",
        x_label="shape",
        y_label="ms",
        series=(Series("chosen_ms", "dispatched"),),
        marker=Series("old_ms", "now"),
    ),
)
def selective_dispatch(given: DispatchArguments) -> Working:
    """Gain of using a new kernel only for shapes where it is right and faster, over the workload.

    Total = sum of calls x (chosen time + dispatch). Weighted by calls: a mean of speedups says
    nothing. A shape on which the result is wrong is never chosen, however fast.
    """
    old = sum(shape.calls * shape.old_us for shape in given.shapes)
    if not old:
        raise ToolError("shapes", "…", "are never called")
    rows = [_row(shape, given.dispatch_us) for shape in given.shapes]
    chosen = sum(float(row["chosen_ms"]) for row in rows) * 1e3
    new = sum(shape.calls * shape.new_us for shape in given.shapes)
    wrong = [shape.name for shape in given.shapes if not shape.correct]
    work = Working(headline="speedup", source="sum over the workload's calls")
    work.put("speedup", old / chosen, "x", "as now over dispatched by shape", "estimate")
    work.put("saved_ms", (old - chosen) / 1e3, "ms", "of the workload", "estimate")
    work.put("old_ms", old / 1e3, "ms", "as now")
    work.put("chosen_ms", chosen / 1e3, "ms", "dispatched by shape", "estimate")
    said = "the new kernel everywhere" + (", wrong results included" if wrong else "")
    work.put("everywhere_ms", new / 1e3, "ms", said, "estimate")
    mean = sum(shape.old_us / shape.new_us for shape in given.shapes) / len(given.shapes)
    work.put("mean_of_ratios", mean, "x", "mean of speedups: not the workload's", "estimate")
    count = sum(row["choice"] == "new" for row in rows)
    work.put("new_shapes", count, "shapes", "go to the new kernel", "count")
    work.formula = f"{plain(old / 1e3)} ms / {plain(chosen / 1e3)} ms = {plain(old / chosen)} x"
    work.assume("times are those of the workload's own shapes and caches; kernels do not overlap")
    work.warn(*(f"{name}: the new kernel is wrong, so it is left out" for name in wrong))
    work.warn("it does not pay: choosing costs more than it saves" if chosen >= old else "")
    work.table = rows
    return work


def _row(shape: Shape, dispatch: float) -> dict[str, float | str]:
    better = shape.correct and shape.new_us < shape.old_us
    chosen = (shape.new_us if better else shape.old_us) + dispatch
    return {
        "shape": shape.name,
        "old_ms": shape.calls * shape.old_us / 1e3,
        "chosen_ms": shape.calls * chosen / 1e3,
        "choice": "new" if better else "old",
    }
