"""`histogram_quantile`: a percentile from histogram buckets, and what the buckets really say."""

from itertools import pairwise

from pydantic import ConfigDict, Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Pairs = list[tuple[float, float]]


class Bucket(Arguments):
    """One cumulative bucket."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    le: str = Field(min_length=1, max_length=30, description="Upper bound, e.g. 0.25, or +Inf")
    count: float = Field(ge=0, le=1e15, description="Samples at or below it, since the start")


class HistogramArguments(Arguments):
    """Arguments of histogram_quantile."""

    buckets: list[Bucket] = Field(
        min_length=2, max_length=200, description="Cumulative buckets, with +Inf: le and count"
    )
    before: list[Bucket] | None = Field(
        default=None,
        min_length=2,
        max_length=200,
        description="The same buckets earlier, to be taken off",
    )
    quantile: float = Field(default=0.99, gt=0, lt=1, description="Share of samples, e.g. 0.99")
    unit: str = Field(default="s", min_length=1, max_length=20, description="Unit of the bounds")


@tool(
    group="telemetry",
    example={
        "buckets": [
            {"le": 0.1, "count": 400},
            {"le": 0.25, "count": 800},
            {"le": 0.5, "count": 960},
            {"le": 1, "count": 995},
            {"le": "+Inf", "count": 1000},
        ],
        "quantile": 0.99,
    },
    drawing=Drawing(
        kind="bars",
        title="Samples in each bucket",
        x="le",
        x_label="upper bound",
        y_label="samples",
        series=(Series("samples", "samples"),),
    ),
)
def histogram_quantile(given: HistogramArguments) -> Working:
    """Quantile from cumulative buckets by linear interpolation, with the bounds that are certain.

    As Prometheus does it: the samples of a bucket are taken as spread evenly. Only the bucket's
    bounds are known; in the +Inf bucket only the lower one.
    """
    bounds = _pairs("buckets", given.buckets)
    if given.before is not None:
        bounds = _less(bounds, _pairs("before", given.before))
    total = bounds[-1][1]
    if not total:
        raise ToolError("buckets", 0, "hold no sample in this window")
    rank = given.quantile * total
    index = next(n for n, (_, count) in enumerate(bounds) if count >= rank - 1e-9 * total)
    low, under = bounds[index - 1] if index else (min(0.0, bounds[0][0]), 0.0)
    high, count = bounds[index]
    work = Working(headline="quantile", source="Prometheus histogram_quantile: linear in a bucket")
    percent = plain(given.quantile * 100)
    if high == float("inf"):
        work.put(
            "quantile", low, given.unit, f"{percent} % lie at or below more than this", "floor"
        )
        work.warn("it lies beyond the last finite bound: the value is a lower bound, no estimate")
        work.formula = f"rank {plain(rank)} of {plain(total)} lies above {plain(low)} {given.unit}"
    else:
        value = low + (high - low) * (rank - under) / (count - under) if count > under else high
        work.put("quantile", value, given.unit, f"{percent} % lie at or below", "estimate")
        work.put("high", high, given.unit, "certainly at or below", "ceiling")
        work.formula = (
            f"{plain(low)} + ({plain(high)} - {plain(low)}) x ({plain(rank)} - {plain(under)}) / "
            f"{plain(count - under)} = {plain(value)} {given.unit}"
        )
    work.put("low", low, given.unit, "certainly at or above", "floor")
    work.put("samples", total, "samples", "in the window", "count")
    beyond = (1 - given.quantile) * total
    work.put("beyond", beyond, "samples", "above the quantile", "estimate")
    if beyond < 10:
        work.warn(f"only about {plain(beyond)} samples lie above it: the quantile is uncertain")
    work.assume("sums of histograms may be taken before the quantile; never means of quantiles")
    before = 0.0
    for bound, upto in bounds:
        name: float | str = "+Inf" if bound == float("inf") else bound
        work.table.append({"le": name, "samples": upto - before, "cumulative": upto})
        before = upto
    return work


def _pairs(field: str, buckets: list[Bucket]) -> Pairs:
    pairs = [(_bound(field, number, b.le), b.count) for number, b in enumerate(buckets)]
    if pairs[-1][0] != float("inf"):
        raise ToolError(
            field, "…", "needs the +Inf bucket last, or samples above the bounds are lost"
        )
    for (low, few), (high, many) in pairwise(pairs):
        if high <= low:
            raise ToolError(field, high, "bounds must rise")
        if many < few:
            raise ToolError(field, many, "counts are cumulative: they cannot fall with the bound")
    return pairs


def _bound(field: str, number: int, text: str) -> float:
    try:
        bound = float(text)
    except ValueError:
        bound = float("nan")
    if not bound > -1e300:
        raise ToolError(f"{field}.{number}.le", text, "is a number, or +Inf for the last bucket")
    return bound


def _less(after: Pairs, before: Pairs) -> Pairs:
    if [bound for bound, _ in after] != [bound for bound, _ in before]:
        raise ToolError("before", "…", "must have the same bounds as buckets")
    changes = [(bound, late - soon) for (bound, late), (_, soon) in zip(after, before, strict=True)]
    if any(count < 0 for _, count in changes) or any(b[1] < a[1] for a, b in pairwise(changes)):
        raise ToolError("before", "…", "holds more than buckets: a restart lies between them")
    return changes
