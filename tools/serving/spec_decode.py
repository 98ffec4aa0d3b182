"""`spec_decode`, `spec_mix`: what speculation yields, the best draft length, a mixed workload."""

from collections.abc import Sequence

from pydantic import Field

from tools.arguments import Arguments, Chance
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.serving.acceptance import expected_tokens, reach, speedup
from tools.working import Working, plain

SOURCE = "Leviathan et al. 2023 (arXiv 2211.17192), expected tokens with the bonus token"
DEFAULT, LONGEST = 4, 16
"""Draft length where none is given, and the longest among which the best is sought."""


class SpecDecodeArguments(Arguments):
    """Arguments of spec_decode."""

    alpha: float | None = Field(
        default=None, ge=0, le=1, description="Chance that a draft is accepted, 0 to 1, e.g. 0.8"
    )
    alphas: list[Chance] | None = Field(
        default=None,
        min_length=1,
        max_length=64,
        description="Instead of alpha: chance per position, each given the drafts before it",
    )
    gamma: int | None = Field(
        default=None, ge=0, le=64, description="Drafted tokens per step; default 4, or all alphas"
    )
    draft_cost: float = Field(
        default=0,
        ge=0,
        le=100,
        description="Time of one draft pass as a share of one target step, e.g. 0.1",
    )
    parallel: bool = Field(
        default=False,
        description="One draft pass proposes all positions (Medusa heads, n-gram lookup)",
    )
    verify_cost: float = Field(
        default=1,
        ge=1,
        le=100,
        description="Time to verify all drafts, in plain target steps; 1 while memory-bound",
    )
    step_ms: float | None = Field(
        default=None, ge=1e-9, le=1e6, description="Time of a plain target step in ms"
    )


@tool(
    group="spec_decode",
    example={"alpha": 0.8, "gamma": 4, "draft_cost": 0.1},
    drawing=Drawing(
        kind="line",
        title="Speedup and tokens per step against the draft length",
        x="gamma",
        x_label="drafted tokens per step",
        y_label="tokens per step; speedup",
        series=(Series("tokens", "tokens per step"), Series("speedup", "speedup, x")),
    ),
)
def spec_decode(given: SpecDecodeArguments) -> Working:
    """Expected tokens per target step of speculative decoding, its speedup and best draft length.

    Every verification yields one token beyond the accepted drafts: the bonus token, or the
    correction after a rejection. alpha is an acceptance rate, gamma a number of drafts.
    """
    alphas = _alphas(given)
    gamma = len(alphas)
    work = Working(headline="expected_tokens", source=SOURCE)
    tokens = expected_tokens(alphas)
    work.put("expected_tokens", tokens, "tokens/step", "expected tokens per target step")
    work.put("accepted_drafts", tokens - 1, "tokens/step", "accepted drafts, no bonus token")
    work.put("wasted_drafts", gamma - tokens + 1, "tokens/step", "drafts verified and dropped")
    work.put("all_accepted", reach([1.0, *alphas])[-1], "probability", "all drafts are accepted")
    factor = speedup(alphas, given.draft_cost, given.verify_cost, parallel=given.parallel)
    work.put("speedup", factor, "x", "tokens per time against plain decoding", "estimate")
    _put_best(work, given, alphas)
    _put_break_even(work, given, gamma)
    if given.step_ms is not None:
        work.put("ms_per_token", given.step_ms / factor, "ms/token", "time per token", "estimate")
    work.formula = _formula(given, alphas, tokens, factor)
    work.assume(
        "a draft is accepted independently of the others at its position",
        f"verifying {gamma + 1} tokens takes {plain(given.verify_cost)} plain target steps",
    )
    if factor < 1:
        work.warn("slower than plain decoding: drafting costs more than it yields")
    if given.verify_cost == 1:
        work.warn("verify_cost 1 holds only while the step is memory-bound: see spec_batch")
    work.table = _rows(given)
    return work


def _alphas(given: SpecDecodeArguments) -> list[float]:
    return _stretch(
        given, given.gamma if given.gamma is not None else len(given.alphas or range(DEFAULT))
    )


def _stretch(given: SpecDecodeArguments, gamma: int) -> list[float]:
    if (given.alpha is None) == (given.alphas is None):
        raise ToolError("alpha", given.alpha, "give either alpha or alphas (per position)")
    if given.alpha is not None:
        return [given.alpha] * gamma
    rates = given.alphas or []
    if gamma > len(rates):
        raise ToolError("gamma", gamma, f"is more than the {len(rates)} positions of alphas")
    return rates[:gamma]


def _longest(given: SpecDecodeArguments) -> int:
    return LONGEST if given.alphas is None else len(given.alphas)


def _put_best(work: Working, given: SpecDecodeArguments, alphas: Sequence[float]) -> None:
    if given.verify_cost > 1:
        work.assume("no best draft length: verify_cost was given for this length only")
        return
    options = {
        g: speedup(_stretch(given, g), given.draft_cost, 1.0, parallel=given.parallel)
        for g in range(_longest(given) + 1)
    }
    best = max(options, key=lambda g: (options[g], -g))
    where = f"among 0 to {_longest(given)}"
    work.put("best_gamma", best, "tokens", f"draft length with the best speedup, {where}", "count")
    work.put("best_speedup", options[best], "x", f"speedup at {best} drafts", "estimate")
    if best == len(options) - 1 and best > len(alphas):
        work.assume(f"the best length is the longest tried, {best}: drafts cost next to nothing")


def _put_break_even(work: Working, given: SpecDecodeArguments, gamma: int) -> None:
    """The constant acceptance at which this draft length neither gains nor loses."""
    cost = given.verify_cost + given.draft_cost * (min(1, gamma) if given.parallel else gamma)
    if gamma == 0 or cost > gamma + 1:
        work.assume("no acceptance rate pays for this draft" if gamma else "")
        return
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_tokens([middle] * gamma) < cost else (low, middle)
    work.put("break_even_alpha", high, "fraction", "acceptance below which it slows down")


def _formula(
    given: SpecDecodeArguments, alphas: Sequence[float], tokens: float, factor: float
) -> str:
    if given.alpha is not None and given.alpha < 1:
        a = plain(given.alpha)
        sum_ = f"(1 - {a}^{len(alphas) + 1}) / (1 - {a})"
    else:
        sum_ = " + ".join(["1", *(plain(p) for p in reach(alphas)[:8])])
        sum_ += " + ..." if len(alphas) > 8 else ""
    passes = min(1, len(alphas)) if given.parallel else len(alphas)
    cost = f"({plain(given.verify_cost)} + {passes} x {plain(given.draft_cost)})"
    return f"{sum_} = {plain(tokens)} tokens/step; / {cost} = {plain(factor)}x"


def _rows(given: SpecDecodeArguments) -> list[dict[str, float]]:
    return [
        {
            "gamma": g,
            "tokens": expected_tokens(_stretch(given, g)),
            "speedup": speedup(
                _stretch(given, g),
                given.draft_cost,
                given.verify_cost if g else 1.0,
                parallel=given.parallel,
            ),
        }
        for g in range(_longest(given) + 1)
    ]


class Traffic(Arguments):
    """A class of requests."""

    name: str = Field(max_length=40, description="Name, e.g. code")
    alpha: float = Field(ge=0, le=1, description="Acceptance rate, 0 to 1")
    share: float = Field(ge=1e-9, le=1e9, description="Share of the tokens (any scale)")


class SpecMixArguments(Arguments):
    """Arguments of spec_mix."""

    classes: list[Traffic] = Field(
        min_length=1, max_length=12, description="Classes of requests with name, alpha and share"
    )
    draft_cost: float = Field(
        ge=0, le=100, description="Time of one draft pass as a share of one target step"
    )
    verify_cost_per_token: float = Field(
        default=0,
        ge=0,
        le=10,
        description="Added time per verified draft, in target steps; 0 while memory-bound",
    )
    longest: int = Field(default=12, ge=1, le=32, description="Longest draft tried, in tokens")


@tool(
    group="spec_decode",
    example={
        "classes": [
            {"name": "code", "alpha": 0.9, "share": 0.4},
            {"name": "chat", "alpha": 0.55, "share": 0.6},
        ],
        "draft_cost": 0.1,
    },
    drawing=Drawing(
        kind="bars",
        title="Time per token of each class under one length for all",
        x="class",
        x_label="class of requests",
        y_label="time per token, plain decoding = 1",
        series=(Series("time_fixed", "one length for all"),),
        marker=Series("time_own", "its own best length"),
    ),
)
def spec_mix(given: SpecMixArguments) -> Working:
    """One draft length for a mixed workload against each class's own best length, or none.

    Shares are of tokens; times are averaged, not speedups, so that slow classes weigh as they do
    in the fleet's hours. A class whose own best is 0 should not be speculated on at all.
    """
    total = sum(c.share for c in given.classes)
    lengths = range(given.longest + 1)

    def mean_time(gamma: int) -> float:
        return sum(c.share / total * _time(given, c.alpha, gamma) for c in given.classes)

    fixed = min(lengths, key=lambda g: (mean_time(g), g))
    work = Working(headline="gain", source=SOURCE)
    own = {c.name: min(lengths, key=lambda g: (_time(given, c.alpha, g), g)) for c in given.classes}
    if len(own) < len(given.classes):
        raise ToolError("classes", ", ".join(c.name for c in given.classes), "names must differ")
    adaptive = sum(c.share / total * _time(given, c.alpha, own[c.name]) for c in given.classes)
    work.put("gain", mean_time(fixed) / adaptive - 1, "fraction", "throughput that own lengths add")
    work.put("fixed_gamma", fixed, "tokens", "best single draft length", "count")
    work.put("fixed_speedup", 1 / mean_time(fixed), "x", "with it, over the mix", "estimate")
    work.put("adaptive_speedup", 1 / adaptive, "x", "with each class's own", "estimate")
    slowest = max(given.classes, key=lambda c: _time(given, c.alpha, fixed))
    worst = _time(given, slowest.alpha, fixed)
    work.put("slowest_time", worst, "x", f"time per token of {slowest.name}, plain = 1", "estimate")
    if worst > 1:
        work.warn(f"{slowest.name} is slower than without speculation: it owns the tail")
    for c in given.classes:
        work.table.append(
            {
                "class": c.name,
                "own_gamma": own[c.name],
                "time_fixed": _time(given, c.alpha, fixed),
                "time_own": _time(given, c.alpha, own[c.name]),
            }
        )
    work.formula = (
        f"mean time per token {plain(mean_time(fixed))} at {fixed} drafts for all, "
        f"{plain(adaptive)} with own lengths: {plain(mean_time(fixed) / adaptive)}x"
    )
    work.assume(
        "the acceptance of a class is constant; classes do not share a batch",
        "in a shared batch the longest draft sets the step's width: gains are smaller",
    )
    return work


def _time(given: SpecMixArguments, alpha: float, gamma: int) -> float:
    verify = 1 + gamma * given.verify_cost_per_token
    return 1 / speedup([alpha] * gamma, given.draft_cost, verify, parallel=False)
