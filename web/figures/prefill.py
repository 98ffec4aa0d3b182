"""Chunked prefill: a long prompt arrives while others decode, and the token budget of a step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools.catalog import CATALOG
from tools.scale import linear
from web.figures.axes import across
from web.figures.canvas import Canvas, Tone
from web.figures.controls import Settings, Slider, whole
from web.figures.figure import LiveFigure, Number, Shown

SETUP = {"model": "Llama-3.3-70B", "weight_dtype": "fp8", "gpu": "H200", "compute_efficiency": 0.5}
CONTEXT = 4096
BUDGETS = (16384, 8192, 4096, 2048, 1024)


@dataclass(frozen=True, slots=True)
class Step:
    """One engine step: prompt tokens in it, and its ms."""

    chunk: int
    ms: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps until the prompt is read, and the steps' token budget; None: no chunking."""

    budget: int | None
    steps: tuple[Step, ...]

    @property
    def longest(self) -> float:
        """ms that a decoding user waits at most for the next token."""
        return max(step.ms for step in self.steps)

    @property
    def first_token(self) -> float:
        """ms until the new prompt's first token."""
        return sum(step.ms for step in self.steps)


def show(settings: Settings) -> Shown:
    """Without chunks against the chosen budget."""
    prompt, users = whole(settings, "prompt"), whole(settings, "users")
    chosen = whole(settings, "budget")
    plans = [_plan(prompt, users, budget) for budget in (None, *sorted({*BUDGETS, chosen})[::-1])]
    plain, here = plans[0], next(plan for plan in plans if plan.budget == chosen)
    return Shown(
        title="Chunked prefill",
        said=(
            f"A prompt of {prompt:,} tokens arrives while {users} users decode. In one piece it "
            f"keeps them waiting {plain.longest:,.0f} ms for a token; with a budget of {chosen:,} "
            f"tokens a step, {here.longest:,.0f} ms at most, and its own first token comes after "
            f"{here.first_token:,.0f} ms instead of {plain.first_token:,.0f}."
        ),
        draw=lambda canvas: _draw(canvas, (plain, here)),
        numbers=(
            Number("longest gap without chunks", plain.longest, "ms"),
            Number("with this budget", here.longest, "ms"),
            Number("first token without chunks", plain.first_token, "ms"),
            Number("with this budget", here.first_token, "ms"),
        ),
        columns=("token budget", "steps", "longest gap ms", "first token ms"),
        rows=tuple(
            (
                "no chunking" if plan.budget is None else f"{plan.budget:,}",
                len(plan.steps),
                plan.longest,
                plan.first_token,
            )
            for plan in plans
        ),
        marked=plans.index(here),
        notes=(
            "A step costs what is larger: reading weights and caches, or the arithmetic of its "
            "tokens at half the peak. Decodes take their tokens of the budget first.",
            "Llama 3.3 70B, FP8, one H200; every user has 4,096 tokens in an FP8 cache. Estimates, "
            "no measurements; kernels for mixed steps cost something besides.",
        ),
        source="prefill_roofline and decode_roofline; Sarathi-Serve (OSDI 2024)",
    )


def _plan(prompt: int, users: int, budget: int | None) -> Plan:
    reading, arithmetic = _decode(users)
    steps, done = [], 0
    while done < prompt:
        chunk = prompt - done if budget is None else min(prompt - done, budget - users)
        prefill = _prefill(chunk, done)
        steps.append(Step(chunk, max(reading, prefill + arithmetic)))
        done += chunk
    return Plan(budget, tuple(steps))


def _decode(users: int) -> tuple[float, float]:
    """ms of reading and of arithmetic of one decode step."""
    given = {**SETUP, "weights_gb": 70, "kv_dtype": "fp8", "context": CONTEXT, "batch": users}
    measures = CATALOG["decode_roofline"].call(given).measures
    return measures["memory_ms"].value, measures["compute_estimate_ms"].value


def _prefill(tokens: int, cached: int) -> float:
    given = {**SETUP, "tokens": tokens, "cached_tokens": cached}
    return CATALOG["prefill_roofline"].call(given).measures["ttft_estimate_ms"].value


def _draw(canvas: Canvas, plans: Sequence[Plan]) -> float:
    left, top = 14.0, 14.0
    scale = linear(max(plan.first_token for plan in plans) * 1.02, left, canvas.width - 16)
    bottom = top + len(plans) * 92 + 2
    across(canvas, scale, top, bottom, "ms")
    for number, plan in enumerate(plans):
        y = top + number * 92
        name = "no chunking" if plan.budget is None else f"budget {plan.budget:,}"
        canvas.text((left, y + 14), f"{name}: longest gap {plan.longest:,.0f} ms")
        _steps(canvas, plan, y + 24, scale.at)
    return bottom + 28


def _steps(canvas: Canvas, plan: Plan, y: float, at: Callable[[float], float]) -> None:
    now = 0.0
    for number, step in enumerate(plan.steps):
        start, end = at(now), at(now + step.ms)
        tone: Tone = "one" if number % 2 == 0 else "two"
        said = f"step {number + 1}: {step.chunk:,} prompt tokens, {step.ms:.0f} ms"
        canvas.box((start, y), (end - start - 1, 30), tone, said=said)
        canvas.dot((end - 1, y + 44), said=f"a token for every user after {now + step.ms:.0f} ms")
        now += step.ms
    canvas.line((at(now), y - 4), (at(now), y + 36), "mark")


FIGURE = LiveFigure(
    slug="chunked-prefill",
    title="Chunked prefill",
    lead="A long prompt arrives while others decode. A small token budget gives them their tokens "
    "sooner and the new prompt its first one later.",
    controls=(
        Slider("budget", "Token budget", 256, 16_384, 2048, 256, "tokens"),
        Slider("prompt", "New prompt", 1024, 32_768, 8192, 1024, "tokens"),
        Slider("users", "Users who decode", 1, 64, 16),
    ),
    show=show,
)
