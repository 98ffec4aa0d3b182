"""`numerics`, `accumulate`: what a format holds of a value, and where a running sum stalls."""

from math import floor, fsum, isinf, isnan, log2, log10, nextafter
from random import Random
from typing import Annotated, Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.kernels.floats import FORMATS, FloatName, Format, Rounding
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Number = Annotated[float, Field(ge=-1e30, le=1e30)]


class NumericsArguments(Arguments):
    """Arguments of numerics."""

    format: FloatName = Field(description="bf16, fp16, fp32, tf32, e4m3, e5m2, e2m1, e8m0, ...")
    value: float = Field(
        default=1, ge=-1e38, le=1e38, description="Value to store, whose error is given"
    )
    rounding: Literal["nearest_even", "toward_zero"] = Field(
        default="nearest_even", description="Rounding; nearest_even is the hardware's"
    )
    saturate: bool = Field(
        default=True, description="Too large values become the largest; else infinity or NaN"
    )


@tool(
    group="numerics",
    example={"format": "e4m3", "value": 0.3},
    drawing=Drawing(
        kind="line",
        title="Distance of neighbouring values",
        x="value",
        x_label="value",
        y_label="distance to the next",
        series=(Series("ulp", "distance"),),
        log_x=True,
        log_y=True,
    ),
)
def numerics(given: NumericsArguments) -> Working:
    """A number format bit by bit: largest and smallest values, and what it makes of one value.

    e4m3 is OCP's (the fn kind): no infinity, one NaN, largest 448. e8m0 holds powers of two only.
    """
    form = FORMATS[given.format]
    if given.value < 0 and not form.signed:
        raise ToolError("value", given.value, f"{form.name} has no sign")
    held = form.round(given.value, given.rounding, saturate=given.saturate)
    work = Working(headline="largest", source=form.source)
    work.put("largest", form.largest, "value", "largest finite value")
    work.put("smallest_normal", form.smallest_normal, "value", "least normal value")
    work.put(
        "smallest", form.smallest, "value", "least above 0" + (", subnormal" * bool(form.mantissa))
    )
    work.put("epsilon", form.epsilon, "value", "from 1 to the next value")
    work.put("bits", form.bits, "bits", f"{form.exponent} exponent, {form.mantissa} mantissa")
    work.put("ulp", form.ulp(given.value), "value", f"spacing at {plain(given.value)}")
    whole = 2.0 ** (form.mantissa + 1)
    work.put("whole_numbers", min(whole, form.largest), "value", "exact whole numbers up to here")
    work.put("decades", _decades(form), "decades", "from the least to the largest value")
    if isnan(held) or isinf(held):
        work.warn(f"{plain(given.value)} is beyond {plain(form.largest)}: it becomes {held}")
    else:
        work.put("held", held, "value", f"stored for {plain(given.value)}")
        error = abs(held - given.value)
        work.put("error", error, "value", "absolute error")
        if given.value:
            work.put("relative_error", error / abs(given.value), "fraction", "of the value")
        if abs(given.value) > form.largest:
            work.warn(f"clipped: {plain(given.value)} is beyond {plain(form.largest)}")
        elif held == 0 and given.value:
            work.warn(f"underflow: below half of {form.smallest:g} becomes 0")
    code = form.encode(held)
    work.formula = f"{given.value!r} -> {code:0{form.bits}b} = {held!r} in {form.name}"
    if form.specials == "one_nan":
        work.assume("no infinity: one code is NaN, the rest of the top exponent are numbers")
    elif form.specials == "none":
        work.assume("neither infinity nor NaN: every code is a number")
    work.table = _rows(form)
    return work


def _decades(form: Format) -> float:
    return log10(form.largest) - log10(form.smallest)


def _rows(form: Format) -> list[dict[str, object]]:
    if form.bits <= 8:
        values = form.values()
        return [
            {
                "value": value,
                "bits": f"{form.encode(value):0{form.bits}b}",
                "ulp": form.ulp(value),
                "subnormal": 0 < value < form.smallest_normal,
            }
            for value in values
        ]
    powers = range(form.lowest_exponent, form.bias + 1, max(1, form.bias // 16))
    return [
        {"value": 2.0**p, "bits": f"{form.encode(2.0**p):0{form.bits}b}", "ulp": form.ulp(2.0**p)}
        for p in powers
    ]


class AccumulateArguments(Arguments):
    """Arguments of accumulate."""

    format: FloatName = Field(default="bf16", description="Format of the running sum")
    increment: float = Field(default=1, ge=1e-9, le=1e30, description="What is added each time")
    count: int = Field(default=1000, ge=1, le=2000, description="Additions to trace")
    values: list[Number] | None = Field(
        default=None, min_length=1, max_length=2000, description="Instead: values, added in order"
    )
    rounding: Rounding = Field(default="nearest_even", description="Rounding of each addition")
    chunk: int = Field(
        default=32, ge=1, le=2000, description="Values of a partial sum (split reduction)"
    )
    seed: int = Field(default=0, ge=0, le=2**32, description="Seed of stochastic rounding")


@tool(
    group="numerics",
    example={"format": "bf16", "increment": 1, "count": 400},
    drawing=Drawing(
        kind="line",
        title="Running sum in the format, and exact",
        x="added",
        x_label="values added",
        y_label="sum",
        series=(Series("sum", "in the format"), Series("exact", "exact")),
    ),
)
def accumulate(given: AccumulateArguments) -> Working:
    """A running sum in a format: where it stalls, and how the order of addition changes it.

    Adding x stops at the least sum whose spacing swallows x: 256 for 1 in bf16. Forward, reverse,
    pairwise and chunked sums of the same values differ: floating addition is not associative.
    """
    form = FORMATS[given.format]
    if given.format == "e8m0":
        raise ToolError("format", given.format, "holds scales, not sums: it has no 0")
    random = Random(given.seed)
    values = given.values or [given.increment] * given.count
    work = Working(headline="sum", source=f"{form.source}; each addition is rounded")

    def add(total: float, value: float) -> float:
        return form.round(total + value, given.rounding, random=random)

    total, exact, stalled = 0.0, 0.0, 0
    every = max(1, len(values) // 64)
    for number, value in enumerate(values, 1):
        before, total = total, add(total, value)
        exact += value
        stalled += total == before and value != 0
        if number % every == 0 or number == len(values):
            row = {"added": number, "sum": total, "exact": exact, "error": total - exact}
            work.table.append(row)
    work.put("sum", total, "value", f"of {len(values):,} values in {form.name}, in order")
    true = fsum(values)
    work.put("exact", true, "value", "exact sum")
    work.put("error", total - true, "value", "of the running sum")
    work.put("lost_additions", stalled, "additions", "that changed nothing", "count")
    _put_orders(work, form, values, given)
    if given.values is None:
        _put_stall(work, form, given.increment)
    work.formula = f"sum in {form.name} = {plain(total)}, exact {plain(true)}"
    if given.rounding == "stochastic":
        work.assume(f"stochastic rounding, seed {given.seed}: right on average, noisy")
    elif stalled:
        work.warn(f"{stalled:,} additions were lost: keep the sum in fp32")
    return work


def _put_stall(work: Working, form: Format, increment: float) -> None:
    """Least power of two at which adding the increment, to nearest, changes nothing."""
    total = max(form.smallest_normal, 2.0 ** floor(log2(increment)))
    while total <= form.largest and form.round(total + increment, saturate=True) != total:
        total *= 2
    if total <= form.largest:
        work.put(
            "stalls_at", total, "value", f"adding {plain(increment)} changes nothing from here"
        )
    else:
        work.assume("the sum overflows before it stalls")


def _put_orders(
    work: Working, form: Format, values: list[float], given: AccumulateArguments
) -> None:
    sums = {
        "forward": _running(form, values),
        "reverse": _running(form, values[::-1]),
        "pairwise": _pairwise(form, [form.round(value) for value in values]),
        "chunked": _running(
            form,
            [
                _running(form, values[start : start + given.chunk])
                for start in range(0, len(values), given.chunk)
            ],
        ),
    }
    for name, total in sums.items():
        work.put(f"{name}_sum", total, "value", f"{name}, rounded to nearest")
    distinct = len(set(sums.values()))
    work.put("distinct_sums", distinct, "sums", "of these four orders", "count")
    if distinct > 1:
        work.assume("the orders differ: another batch size or split changes the bits")


def _running(form: Format, values: list[float]) -> float:
    total = 0.0
    for value in values:
        total = form.round(total + value)
    return total


def _pairwise(form: Format, values: list[float]) -> float:
    while len(values) > 1:
        paired = [form.round(a + b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = paired + values[len(paired) * 2 :]
    return values[0]


class RopePrecisionArguments(Arguments):
    """Arguments of rope_precision."""

    position: int = Field(ge=1, le=100_000_000, description="Position of the token")
    format: Literal["bf16", "fp16", "tf32", "fp32"] = Field(
        default="bf16", description="Format in which positions are kept"
    )
    dim: int = Field(default=128, ge=2, le=4096, description="Rotated width of a head")
    base: float = Field(default=500_000, gt=1, le=1e12, description="RoPE base (theta)")


@tool(
    group="numerics",
    example={"position": 65536},
    drawing=Drawing(
        kind="line",
        title="Spacing of positions that the format tells apart",
        x="position",
        x_label="position",
        y_label="positions",
        series=(Series("step", "spacing"),),
        log_x=True,
        log_y=True,
    ),
)
def rope_precision(given: RopePrecisionArguments) -> Working:
    """How far positions in a narrow format are off at a context length, and the angles with them.

    bf16 has 8 significant bits: from 65,536 on it holds only every 512th position, and tokens up to
    256 apart get the same angle.
    """
    form = FORMATS[given.format]
    if given.position > form.largest:
        raise ToolError("position", given.position, f"{form.name} ends at {plain(form.largest)}")
    step = form.ulp(float(given.position))
    work = Working(headline="spacing", source=f"{form.source}; RoPE (Su et al. 2021)")
    work.put("spacing", step, "positions", f"between values of {form.name} there")
    worst = step / 2 if step > 1 else 0.0
    work.put("largest_error", worst, "positions", "of a token's position")
    below = form.ulp(nextafter(float(given.position), 0.0))
    work.put("spacing_below", below, "positions", "just below there")
    exact = 2.0 ** (form.mantissa + 1)
    work.put(
        "exact_to", min(exact, form.largest), "positions", "every position is exact up to here"
    )
    work.put("fastest_error_turns", worst / 6.283185307179586, "turns", "of the fastest pair")
    slow = given.base ** (-(given.dim - 2) / given.dim)
    work.put("slowest_error_rad", worst * slow, "rad", "of the slowest pair")
    lost = sum(worst * given.base ** (-i / given.dim) > 1 for i in range(0, given.dim, 2))
    work.put("scrambled_pairs", lost, "pairs", f"of {given.dim // 2} off by over 1 rad", "count")
    work.formula = f"2^(floor(log2 {given.position:,}) - {form.mantissa}) = {plain(step)} positions"
    work.assume("angle = position x base^(-2i/dim); computed from the rounded position")
    if worst:
        work.warn("keep positions and angles in fp32, then cast sine and cosine")
    work.table = [
        {"position": 2**p, "step": form.ulp(float(2**p))}
        for p in range(7, 21)
        if 2**p <= form.largest
    ]
    return work
