"""`sampling_ref`: which tokens temperature, top-k, top-p and min-p leave, in a stated order."""

from collections.abc import Sequence
from math import fsum, log2
from typing import Annotated, Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.serving.filters import ORDERS, Knobs, greedy, kept_by, softmax
from tools.working import Working, counted, plain

Step = Literal["temperature", "top_k", "top_p", "min_p"]
Logit = Annotated[float, Field(ge=-1e4, le=1e4)]


class SamplingArguments(Arguments):
    """Arguments of sampling_ref."""

    logits: list[Logit] = Field(
        min_length=1, max_length=512, description="Logits of the vocabulary, in order"
    )
    names: list[str] | None = Field(
        default=None, max_length=512, description="Names of the tokens, as many as logits"
    )
    temperature: float = Field(
        default=1, ge=0, le=100, description="Divides the logits; 0 is greedy"
    )
    top_k: int = Field(default=0, ge=0, le=1_000_000, description="Tokens kept; 0 keeps all")
    top_p: float = Field(
        default=1, ge=1e-9, le=1, description="Probability that the kept ones reach; 1 keeps all"
    )
    min_p: float = Field(
        default=0, ge=0, le=1, description="Least share of the likeliest token's probability"
    )
    order: Literal["vllm", "transformers", "llama.cpp"] = Field(
        default="vllm", description="Whose order of the four; see steps for another"
    )
    steps: list[Step] | None = Field(
        default=None, min_length=4, max_length=4, description="Own order, each of the four once"
    )
    ties: Literal["keep", "cut"] = Field(
        default="keep",
        description="Equal logits at the edge: keep all, or cut to the count by index",
    )


@tool(
    group="sampling_ref",
    example={
        "logits": [2.0, 1.5, 1.0, 0.5, 0.0, -1.0],
        "temperature": 2,
        "top_p": 0.9,
        "min_p": 0.3,
    },
    drawing=Drawing(
        kind="bars",
        title="Probability before and after the filters",
        x="token",
        x_label="token",
        y_label="probability",
        series=(Series("probability", "sampled with"),),
        marker=Series("plain", "softmax of the logits"),
    ),
)
def sampling_ref(given: SamplingArguments) -> Working:
    """Kept tokens and their probabilities after temperature, top-k, top-p and min-p, in an order.

    Filters look at what the ones before left, renormalised. The order decides what can be sampled:
    temperature after the filters cannot widen the set. Ties are kept whole unless cut is asked.
    """
    names = _names(given)
    steps = _steps(given)
    work = Working(headline="kept", source="definitions; vLLM 0.31 sampler for the default order")
    kept, logits = _apply(given, steps)
    chances = softmax([logits[i] for i in kept])
    after = dict(zip(kept, chances, strict=True))
    before = softmax(given.logits)
    work.put("kept", len(kept), "tokens", "can be sampled", "count")
    work.put("top_probability", max(chances), "probability", "of the likeliest token")
    mass = fsum(before[i] for i in kept)
    work.put("kept_mass", mass, "probability", "of the kept tokens before all filters")
    entropy = -fsum(p * log2(p) for p in chances if p)
    work.put("entropy_bits", entropy, "bits/token", "of what is sampled")
    work.table = [
        {
            "token": name,
            "logit": given.logits[i],
            "plain": before[i],
            "kept": i in after,
            "probability": after.get(i, 0.0),
        }
        for i, name in enumerate(names)
    ]
    shown = ", ".join(f"{names[i]} {plain(after[i])}" for i in kept[:6])
    work.formula = f"{' then '.join(steps)}: {shown}{' ...' if len(kept) > 6 else ''}"
    _say_ties(work, given)
    _compare_orders(work, given, kept, names)
    return work


def _names(given: SamplingArguments) -> list[str]:
    if given.names is None:
        return [str(i) for i in range(len(given.logits))]
    if len(given.names) != len(given.logits):
        raise ToolError("names", len(given.names), f"needs one for each of {len(given.logits)}")
    return given.names


def _steps(given: SamplingArguments) -> tuple[str, ...]:
    steps = tuple(given.steps) if given.steps else ORDERS[given.order]
    if len(set(steps)) != len(steps):
        raise ToolError("steps", list(steps), "names each of the four once")
    return steps


def _apply(given: SamplingArguments, steps: Sequence[str]) -> tuple[list[int], list[float]]:
    """Kept indices and the scaled logits; greedy at temperature 0."""
    if given.temperature == 0:
        return greedy(given.logits)[:1], list(given.logits)
    knobs = Knobs(given.temperature, given.top_k, given.top_p, given.min_p, given.ties == "keep")
    logits, kept = list(given.logits), list(range(len(given.logits)))
    for step in steps:
        if step == "temperature":
            logits = [logit / given.temperature for logit in logits]
        else:
            kept = kept_by(step, logits, kept, knobs)
    return kept, logits


def _say_ties(work: Working, given: SamplingArguments) -> None:
    if given.temperature == 0:
        ties = len(greedy(given.logits))
        work.assume("temperature 0 is greedy: the other knobs do nothing")
        if ties > 1:
            work.warn(f"{ties} tokens tie for the largest logit: the lowest index is taken here")
    elif given.ties == "keep":
        work.assume("equal logits at the edge are all kept: the set does not depend on a sort")
    else:
        work.warn("ties are cut by index: another sort keeps another set")


def _compare_orders(
    work: Working, given: SamplingArguments, kept: Sequence[int], names: Sequence[str]
) -> None:
    for engine, steps in ORDERS.items():
        other = _apply(given, steps)[0]
        work.put(
            f"kept_{engine.replace('.', '_')}",
            len(other),
            "tokens",
            f"in {engine}'s order",
            "count",
        )
        gone = [names[i] for i in kept if i not in other]
        more = [names[i] for i in other if i not in kept]
        if gone or more:
            change = " and ".join(
                [f"drops {', '.join(gone[:6])}"] * bool(gone)
                + [f"adds {', '.join(more[:6])}"] * bool(more)
            )
            work.warn(f"{engine}'s order {change} ({counted(len(other), 'token')} in all)")
