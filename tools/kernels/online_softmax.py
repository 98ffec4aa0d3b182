"""`online_softmax`, `lse_merge`: the running maximum and sum by tiles, and the merge of splits."""

from math import exp, inf, isinf
from typing import Annotated

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.kernels.attention_math import Online, Partial, dot, merge, softmax
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain

Score = Annotated[float, Field(ge=-1e4, le=1e4)]
Value = Annotated[float, Field(ge=-1e9, le=1e9)]


class OnlineSoftmaxArguments(Arguments):
    """Arguments of online_softmax."""

    scores: list[Score] = Field(
        min_length=1, max_length=512, description="Scores of one query, key by key"
    )
    values: list[Value] | None = Field(
        default=None,
        max_length=512,
        description="Value of each key (one number); default 1, 2, ...",
    )
    masked: list[Annotated[int, Field(ge=0, le=511)]] = Field(
        default=[], max_length=512, description="Keys that are masked, counted from 0"
    )
    tile: int = Field(default=4, ge=1, le=512, description="Keys of a tile")


@tool(
    group="attention_ref",
    example={"scores": [0, 1, 3, 2, 5, 4, 1, 0], "masked": [0, 1], "tile": 2},
    drawing=Drawing(
        kind="bars",
        title="Running sum after each tile",
        x="tile",
        x_label="tile",
        y_label="sum of exp(score - maximum)",
        series=(Series("sum", "running sum"),),
    ),
)
def online_softmax(given: OnlineSoftmaxArguments) -> Working:
    """Trace the online softmax over tiles: maximum, rescale factor, sum and output.

    A new maximum rescales what was summed by exp(old - new). A tile with every key masked would
    give -inf minus -inf, NaN, unless it is skipped; such tiles are counted.
    """
    values = given.values or [float(i) for i in range(1, len(given.scores) + 1)]
    if len(values) != len(given.scores):
        raise ToolError("values", len(values), f"needs one for each of {len(given.scores)} scores")
    hidden = set(given.masked)
    scores = [-inf if i in hidden else score for i, score in enumerate(given.scores)]
    state = Online(1)
    work = Working(headline="output", source="online softmax (Milakov & Gimelshein 2018)")
    blank = rescaled = 0
    for start in range(0, len(scores), given.tile):
        part = scores[start : start + given.tile]
        before = state.top
        state.take(part, [[value] for value in values[start : start + given.tile]])
        empty = max(part) == -inf
        blank += empty
        moved = not isinf(before) and state.top > before
        rescaled += moved
        work.table.append(
            {
                "tile": str(start // given.tile),
                "maximum": None if isinf(state.top) else state.top,
                "rescale": state.factor if moved else 1.0,
                "sum": state.total,
                "output": state.result().output[0],
                "all_masked": empty,
            }
        )
    found = state.result()
    weights, lse = softmax(scores)
    work.put("output", found.output[0], "value", "weighted mean of the values")
    if isinf(found.lse):
        work.assume("every key is masked: output 0, log-sum -inf")
    else:
        work.put("log_sum", found.lse, "nats", "log of the sum of exponentials")
        work.put("log_sum_difference", abs(found.lse - lse), "nats", "to the softmax in two passes")
    gap = abs(found.output[0] - dot(weights, values))
    work.put("difference", gap, "value", "to the softmax in two passes")
    work.put("rescales", rescaled, "tiles", "that raised the maximum", "count")
    work.put("blank_tiles", blank, "tiles", "with every key masked", "count")
    first = next((i for i, row in enumerate(work.table) if not row["all_masked"]), None)
    if blank and first != 0:
        work.warn("the first tile is all masked: exp(-inf - -inf) is NaN unless it is skipped")
    work.formula = (
        f"sum {plain(state.total)} at maximum {plain(state.top) if first is not None else '-inf'}"
    )
    work.formula += f": output {plain(found.output[0])}"
    work.assume("float64; a row of a real kernel carries such a maximum and sum for each query")
    return work


class Part(Arguments):
    """A partial result."""

    lse: float = Field(default=0, ge=-1e6, le=1e6, description="Log of its sum of exponentials")
    output: list[Value] = Field(
        min_length=1, max_length=64, description="Its output, normalised over its own keys"
    )
    empty: bool = Field(default=False, description="It had no keys: log-sum -inf")


class LseMergeArguments(Arguments):
    """Arguments of lse_merge."""

    parts: list[Part] = Field(
        min_length=1, max_length=256, description="Partial results with lse and output"
    )


@tool(
    group="attention_ref",
    example={
        "parts": [
            {"lse": 3.2, "output": [1.0, 0.0]},
            {"lse": 1.1, "output": [0.0, 1.0]},
            {"empty": True, "output": [0.0, 0.0]},
        ]
    },
    drawing=Drawing(
        kind="bars",
        title="Weight of each part",
        x="part",
        x_label="part",
        y_label="weight",
        series=(Series("weight", "weight"),),
    ),
)
def lse_merge(given: LseMergeArguments) -> Working:
    """Merge partial attention outputs exactly by their log-sums; a part without keys weighs 0.

    Weight of a part = exp(lse - lse of all). Averaging outputs is wrong unless all sums agree.
    """
    sizes = {len(part.output) for part in given.parts}
    if len(sizes) > 1:
        raise ToolError("parts", sorted(sizes), "all outputs have one width")
    parts = [Partial(-inf if p.empty else p.lse, list(p.output)) for p in given.parts]
    merged, averaged = merge(parts), merge(parts, average=True)
    work = Working(headline="first", source="split attention: merge by log-sum-exp")
    work.put("first", merged.output[0], "value", "first element of the merged output")
    for index, value in enumerate(merged.output[:8]):
        work.put(f"output_{index}", value, "value", f"element {index}")
    if isinf(merged.lse):
        work.assume("every part is empty: output 0, log-sum -inf")
    else:
        work.put("log_sum", merged.lse, "nats", "of all keys")
    gap = max(abs(a - b) for a, b in zip(merged.output, averaged.output, strict=True))
    work.put("average_error", gap, "value", "largest error of a plain average")
    empties = sum(part.empty for part in given.parts)
    work.put("empty_parts", empties, "parts", "without keys", "count")
    weights = [0.0 if isinf(p.lse) else exp(p.lse - merged.lse) for p in parts]
    work.table = [
        {"part": str(i), "lse": None if isinf(p.lse) else p.lse, "weight": weight}
        for i, (p, weight) in enumerate(zip(parts, weights, strict=True))
    ]
    sums = " + ".join(
        f"{plain(w)} x {plain(p.output[0])}" for w, p in zip(weights[:6], parts, strict=False)
    )
    work.formula = f"{sums} = {plain(merged.output[0])}"
    if empties:
        work.assume(f"{counted(empties, 'empty part')} weigh exp(-inf) = 0")
    return work
