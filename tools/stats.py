"""`stats`, `mcnemar`, `sample_size`: how sure a rate, a difference and a paired comparison are."""

from math import comb

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.proportions import mcnemar_p, newcombe, trials_per_arm, wilson, z_value
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

MOST = 1_000_000_000


class StatsArguments(Arguments):
    """Arguments of stats."""

    successes: int = Field(ge=0, le=MOST, description="Trials that succeeded")
    trials: int = Field(ge=1, le=MOST, description="Trials in all, at least 1")
    successes_b: int | None = Field(
        default=None, ge=0, le=MOST, description="Successes of a second, independent arm"
    )
    trials_b: int | None = Field(
        default=None, ge=1, le=MOST, description="Trials of the second arm"
    )
    level: float = Field(default=0.95, ge=0.5, le=0.9999, description="Confidence level, e.g. 0.95")


@tool(
    group="stats",
    example={"successes": 8, "trials": 11},
    drawing=Drawing(
        kind="interval",
        title="Rates with their intervals",
        x="arm",
        x_label="",
        y_label="rate",
        series=(Series("low", "low"), Series("rate", "rate"), Series("high", "high")),
    ),
)
def stats(given: StatsArguments) -> Working:
    """Wilson score interval of a rate; with a second arm also Newcombe's for the difference.

    No continuity correction. Arms are independent trials; for the same cases run twice use mcnemar.
    """
    arms = {"a": _arm("successes", given.successes, given.trials)}
    if given.successes_b is not None or given.trials_b is not None:
        if given.successes_b is None or given.trials_b is None:
            missing = "successes_b" if given.successes_b is None else "trials_b"
            raise ToolError(
                missing, None, "is needed for the second arm: give both successes_b and trials_b"
            )
        arms["b"] = _arm("successes_b", given.successes_b, given.trials_b)
    work = Working(headline="low", source="Wilson (1927); Newcombe (1998), hybrid score, method 10")
    percent = plain(given.level * 100)
    for name, (successes, trials) in arms.items():
        end = "" if name == "a" else "_b"
        low, high = wilson(successes, trials, given.level)
        of = f"{successes:,} of {trials:,}"
        work.put(f"rate{end}", successes / trials, "fraction", of)
        work.put(f"low{end}", low, "fraction", f"lower {percent} % Wilson bound of {of}")
        work.put(f"high{end}", high, "fraction", f"upper {percent} % Wilson bound of {of}")
        work.put(f"width{end}", high - low, "fraction", "width of the interval")
        work.table.append(
            {"arm": f"{name}: {of}", "low": low, "rate": successes / trials, "high": high}
        )
    z = z_value(given.level)
    work.formula = (
        f"(p + z^2/2n ± z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), p = {given.successes:,}/"
        f"{given.trials:,}, "
        f"z = {z:.4f}: {work.measures['low'].value:.4f} to {work.measures['high'].value:.4f}"
    )
    work.put("z", z, "standard deviations", f"two-sided normal quantile at {percent} %")
    if "b" in arms:
        _put_difference(work, arms["a"], arms["b"], given.level)
    work.assume("trials are independent and equally likely to succeed; repeats of one case are not")
    return work


def _put_difference(work: Working, a: tuple[int, int], b: tuple[int, int], level: float) -> None:
    low, high = newcombe(a, b, level)
    work.headline = "difference"
    work.put("difference", a[0] / a[1] - b[0] / b[1], "fraction", "rate a minus rate b")
    work.put("difference_low", low, "fraction", "lower Newcombe bound")
    work.put("difference_high", high, "fraction", "upper Newcombe bound")
    work.table.append({"arm": "a − b", "low": low, "rate": a[0] / a[1] - b[0] / b[1], "high": high})
    work.formula = (
        f"{a[0]}/{a[1]} - {b[0]}/{b[1]}, bounds from both Wilson intervals: {low:.4f} to {high:.4f}"
    )
    if low <= 0 <= high:
        work.warn("the interval holds 0: these trials do not show a difference")


def _arm(field: str, successes: int, trials: int) -> tuple[int, int]:
    if successes > trials:
        raise ToolError(field, successes, f"is more than the {trials:,} trials")
    return successes, trials


class McnemarArguments(Arguments):
    """Arguments of mcnemar."""

    only_a: int = Field(ge=0, le=2000, description="Cases that passed with a and failed with b")
    only_b: int = Field(ge=0, le=2000, description="Cases that failed with a and passed with b")


@tool(
    group="stats",
    example={"only_a": 8, "only_b": 1},
    drawing=Drawing(
        kind="bars",
        title="Chance of each split of the flipped cases if a and b were alike",
        x="only_a",
        x_label="flipped cases that only a passed",
        y_label="probability",
        series=(Series("probability", "binomial, p = 1/2"),),
    ),
)
def mcnemar(given: McnemarArguments) -> Working:
    """Exact McNemar test of two runs over the same cases, from the cases that flipped.

    Two-sided binomial with p = 1/2 over the flipped cases; those on which both agree do not count.
    """
    a, b = given.only_a, given.only_b
    work = Working(headline="p_value", source="McNemar (1947), exact binomial form")
    p = mcnemar_p(a, b)
    work.put("p_value", p, "probability", "two-sided exact p-value")
    work.put("flipped", a + b, "cases", "cases that flipped", "count")
    work.formula = f"min(1, 2 x P[X <= {min(a, b)}]) with X ~ Binomial({a + b}, 1/2) = {p:.4g}"
    work.assume(
        "each case was run once with a and once with b; a case is independent of the others"
    )
    if a + b < 6:
        work.warn("fewer than 6 flipped cases can never give p below 0.05")
    work.table = [{"only_a": k, "probability": _binomial(a + b, k)} for k in _around(a + b)]
    return work


def _around(total: int) -> range:
    middle = total // 2
    return range(max(0, middle - 20), min(total, middle + 20) + 1)


def _binomial(total: int, k: int) -> float:
    return comb(total, k) / (1 << total)


class SampleSizeArguments(Arguments):
    """Arguments of sample_size."""

    p1: float = Field(gt=0, lt=1, description="Rate of the one arm, 0 to 1, e.g. 0.01")
    p2: float = Field(
        gt=0, lt=1, description="Rate of the other arm that is to be told apart, e.g. 0.015"
    )
    level: float = Field(
        default=0.95, ge=0.5, le=0.9999, description="Confidence level of the two-sided test"
    )
    power: float = Field(
        default=0.8, ge=0.5, le=0.9999, description="Chance to see the difference if it is there"
    )
    pooled: bool = Field(
        default=False, description="Pooled variance under the null (Fleiss) instead of unpooled"
    )


@tool(
    group="stats",
    example={"p1": 0.01, "p2": 0.015},
    drawing=Drawing(
        kind="line",
        title="Trials per arm against the difference to be seen",
        x="difference",
        x_label="difference of the rates",
        y_label="trials per arm",
        series=(Series("trials_per_arm", "trials per arm"),),
        log_x=True,
        log_y=True,
    ),
)
def sample_size(given: SampleSizeArguments) -> Working:
    """Trials per arm that a canary or an A/B test needs to tell two rates apart.

    Two-sided normal approximation; the variance under the null is unpooled unless pooled is set.
    """
    if given.p1 == given.p2:
        raise ToolError("p2", given.p2, "must differ from p1")
    if abs(given.p1 - given.p2) < 1e-6:
        raise ToolError("p2", given.p2, "differs from p1 by less than 1e-6")
    work = Working(headline="trials_per_arm", source="normal approximation for two rates (Fleiss)")
    number = _trials(given, given.p2)
    work.put(
        "trials_per_arm",
        number,
        "trials/arm",
        f"to tell {given.p1:g} from {given.p2:g}",
        "estimate",
    )
    work.put("trials", 2 * number, "trials", "both arms", "estimate")
    variant = "pooled" if given.pooled else "unpooled"
    work.assume(
        f"{variant} variance under the null; the other variant gives a slightly different number"
    )
    z = z_value(given.level)
    gap = f"({given.p1:g} - {given.p2:g})^2"
    work.formula = (
        f"(z x null + z_power x alternative)^2 / {gap}, z = {z:.3f}, {variant}: {number:,}"
    )
    steps = (given.p1 + (given.p2 - given.p1) * scale for scale in (0.25, 0.5, 0.75, 1, 1.5, 2, 3))
    work.table = [
        {"difference": abs(p - given.p1), "trials_per_arm": _trials(given, p)}
        for p in steps
        if 0 < p < 1
    ]
    return work


def _trials(given: SampleSizeArguments, p2: float) -> int:
    return trials_per_arm(given.p1, p2, given.level, given.power, pooled=given.pooled)
