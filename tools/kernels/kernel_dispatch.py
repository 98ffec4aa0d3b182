"""`kernel_dispatch`: whether a new kernel pays for itself over the shapes that occur."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class Shape(Arguments):
    """A shape that occurs, with both kernels' times."""

    name: str = Field(max_length=60, description="Name, e.g. batch 1 x 32K")
    calls: float = Field(ge=1e-9, le=1e12, description="Calls in the workload (any scale)")
    old_us: float = Field(ge=1e-9, le=1e9, description="Time of the kernel in use, us")
    new_us: float = Field(ge=1e-9, le=1e9, description="Time of the new kernel, us")
    correct: bool = Field(default=True, description="The new kernel's output was right there")


class KernelDispatchArguments(Arguments):
    """Arguments of kernel_dispatch."""

    shapes: list[Shape] = Field(
        min_length=1, max_length=100, description="Shapes with name, calls, old_us, new_us, correct"
    )
    dispatch_us: float = Field(
        default=0, ge=0, le=1e6, description="Cost of choosing, paid on each call, us"
    )


@tool(
    group="attention_ref",
    example={
        "shapes": [
            {"name": "decode 1 x 32K", "calls": 100, "old_us": 80, "new_us": 30},
            {"name": "decode 64 x 2K", "calls": 900, "old_us": 40, "new_us": 46},
            {"name": "ragged", "calls": 50, "old_us": 60, "new_us": 35, "correct": False},
        ],
        "dispatch_us": 1,
    },
    drawing=Drawing(
        kind="bars",
        title="Time of each shape: the old kernel and the choice",
        x="shape",
        x_label="shape",
        y_label="us per call",
        series=(Series("chosen_us", "chosen"),),
        marker=Series("old_us", "old"),
    ),
)
def kernel_dispatch(given: KernelDispatchArguments) -> Working:
    """Old kernel, new kernel for all, or a choice by shape: weighted time and speedup of each.

    A shape with wrong output is never dispatched to the new kernel, however fast it is there. The
    mean is over calls, not over shapes.
    """
    names = [shape.name for shape in given.shapes]
    if len(set(names)) < len(names):
        raise ToolError("shapes", names[:10], "names must differ")
    total = sum(shape.calls for shape in given.shapes)
    old = sum(shape.calls * shape.old_us for shape in given.shapes)
    new = sum(shape.calls * shape.new_us for shape in given.shapes)
    taken = [s for s in given.shapes if s.correct and s.new_us < s.old_us]
    chosen = sum(s.calls * (s.new_us if s in taken else s.old_us) for s in given.shapes)
    chosen += total * given.dispatch_us
    work = Working(headline="speedup", source="weighted mean over calls")
    work.put("speedup", old / chosen, "x", "choice by shape, its cost included")
    work.put("saved_us", (old - chosen) / total, "us/call", "on average")
    work.put("new_for_all", old / new, "x", "new kernel everywhere, right or wrong")
    plain_mean = sum(s.old_us / s.new_us for s in given.shapes) / len(given.shapes)
    work.put("mean_of_ratios", plain_mean, "x", "mean of the shapes' speedups: not a speedup")
    work.put("dispatched", len(taken), "shapes", "go to the new kernel", "count")
    wrong = [s.name for s in given.shapes if not s.correct]
    work.put("incorrect", len(wrong), "shapes", "where its output is wrong", "count")
    most = (old - chosen) / total + given.dispatch_us
    work.put("break_even_dispatch_us", most, "us/call", "cost of choosing that eats all gain")
    work.formula = (
        f"{plain(old)} us / {plain(chosen)} us over {plain(total)} calls = {plain(old / chosen)}x"
    )
    work.assume("times are of the same inputs on the same device; calls are as in the workload")
    if wrong:
        work.warn(
            f"wrong output on {', '.join(wrong)[:200]}: fix before shipping, do not only skip"
        )
    if chosen >= old:
        work.warn(f"dispatch does not pay: {counted(len(taken), 'shape')} gain less than it costs")
    work.table = [
        {
            "shape": s.name,
            "calls": s.calls,
            "old_us": s.old_us,
            "new_us": s.new_us,
            "chosen_us": (s.new_us if s in taken else s.old_us) + given.dispatch_us,
            "correct": s.correct,
        }
        for s in given.shapes
    ]
    return work
