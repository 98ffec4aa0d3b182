"""`quant_mix`, `qat_cost`, `quant_gain`: what stays wide, what training costs, what was won."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class Matrix(Arguments):
    """A matrix, or a group of them, of the sweep."""

    name: str = Field(max_length=60, description="Name, e.g. layer 0 down_proj")
    params_m: float = Field(ge=1e-9, le=1e6, description="Parameters in millions")
    damage: float = Field(
        ge=-1e6, le=1e6, description="Loss of quality if only it is quantised (any unit)"
    )


class QuantMixArguments(Arguments):
    """Arguments of quant_mix."""

    matrices: list[Matrix] = Field(
        min_length=1, max_length=400, description="Sweep: name, params_m, damage"
    )
    narrow_bits: float = Field(default=4.5, ge=1, le=16, description="Bits of a quantised weight")
    wide_bits: float = Field(default=16, ge=1, le=32, description="Bits of one that stays wide")
    budget_mb: float = Field(
        ge=0, le=1e8, description="Bytes that may be spent on wide matrices, MB (1e6 B)"
    )
    measured_damage: float | None = Field(
        default=None, ge=-1e6, le=1e6, description="Damage with all quantised, measured"
    )
    eval_minutes: float = Field(
        default=10, ge=1e-9, le=1e5, description="Time of one evaluation on one node, minutes"
    )
    gpus: int = Field(default=8, ge=1, le=1024, description="GPUs of that node")


@tool(
    group="quant_planner",
    example={
        "matrices": [
            {"name": "L0 down", "params_m": 235, "damage": 0.9},
            {"name": "L79 down", "params_m": 235, "damage": 0.5},
            {"name": "L0 qkv", "params_m": 84, "damage": 0.25},
            {"name": "rest", "params_m": 68_000, "damage": 0.6},
        ],
        "budget_mb": 800,
        "measured_damage": 1.6,
    },
    drawing=Drawing(
        kind="bars",
        title="Damage that a megabyte buys back",
        x="matrix",
        x_label="matrix, best first",
        y_label="damage per GB of bytes added",
        series=(Series("per_GB", "damage per GB"),),
    ),
)
def quant_mix(given: QuantMixArguments) -> Working:
    """Which matrices to keep wide within a budget of bytes: by damage avoided per byte added.

    The sum of single damages is not the damage of the mix: errors interact. The mix that is chosen
    must be measured as a whole.
    """
    names = [m.name for m in given.matrices]
    if len(set(names)) < len(names):
        raise ToolError("matrices", names[:10], "names must differ")
    if given.wide_bits <= given.narrow_bits:
        raise ToolError("wide_bits", given.wide_bits, f"must exceed {given.narrow_bits} bits")
    extra = {m.name: m.params_m * (given.wide_bits - given.narrow_bits) / 8 for m in given.matrices}
    ranked = sorted(given.matrices, key=lambda m: (-m.damage / extra[m.name], m.name))
    kept, spent = [], 0.0
    for matrix in ranked:
        if matrix.damage > 0 and spent + extra[matrix.name] <= given.budget_mb:
            kept.append(matrix)
            spent += extra[matrix.name]
    total = sum(m.damage for m in given.matrices)
    avoided = sum(m.damage for m in kept)
    work = Working(
        headline="avoided_share", source="single-layer sensitivity sweep, greedy by byte"
    )
    share = avoided / total if total > 0 else 0.0
    work.put("avoided_share", share, "fraction", "of the summed damage", "estimate")
    work.put("kept", len(kept), "matrices", "stay wide", "count")
    work.put("added_MB", spent, "MB", "for them")
    params = sum(m.params_m for m in given.matrices)
    narrow = params * given.narrow_bits / 8
    work.put("total_MB", narrow + spent, "MB", "all matrices with the mix")
    work.put("added_share", spent / narrow, "fraction", "more bytes than all narrow")
    work.put("summed_damage", total, "damage", "sum over the sweep", "estimate")
    if given.measured_damage is not None:
        gap = given.measured_damage - total
        work.put("interaction", gap, "damage", "measured, all narrow, beyond the sum")
        if abs(gap) > 0.1 * max(abs(total), 1e-12):
            work.warn("single damages do not add up here: measure the mix, do not sum")
    hours = (len(names) + 2) * given.eval_minutes / 60 * given.gpus
    work.put("sweep_gpu_hours", hours, "GPU h", "one evaluation each, base and mix", "estimate")
    work.formula = f"kept {', '.join(m.name for m in kept)[:120] or 'none'}: {plain(avoided)} of "
    work.formula += f"{plain(total)} damage for {plain(spent)} MB"
    work.assume("damages were measured one matrix at a time, others at full precision")
    work.table = [
        {
            "matrix": m.name,
            "damage": m.damage,
            "MB": extra[m.name],
            "per_GB": m.damage / extra[m.name] * 1e3,
            "wide": m in kept,
        }
        for m in ranked
    ]
    return work


class QatCostArguments(Arguments):
    """Arguments of qat_cost."""

    params_b: float = Field(ge=1e-9, le=1e5, description="Active parameters in billions")
    tokens_b: float = Field(ge=1e-9, le=1e6, description="Tokens of training in billions")
    teacher: bool = Field(default=True, description="A full-precision teacher's forward pass too")
    peak_tflops: float = Field(
        ge=1e-9, le=1e6, description="Dense peak of a GPU in TFLOPS, e.g. 989"
    )
    mfu: float = Field(
        ge=1e-9, le=1, description="Share of the peak that training reaches, e.g. 0.4"
    )
    gpu_usd_h: float = Field(ge=1e-9, le=1000, description="Price of a GPU hour, USD")
    fleet_gpus: int = Field(ge=1, le=10_000_000, description="GPUs that serve the model now")
    fleet_factor: float = Field(
        ge=1e-9, le=1, description="Share of them that suffices if QAT makes the format usable"
    )


@tool(
    group="quant_planner",
    example={
        "params_b": 70,
        "tokens_b": 1,
        "peak_tflops": 989.4,
        "mfu": 0.35,
        "gpu_usd_h": 2.5,
        "fleet_gpus": 64,
        "fleet_factor": 0.6,
    },
    drawing=Drawing(
        kind="line",
        title="Cost of training and saving of the fleet",
        x="days",
        x_label="days of serving",
        y_label="USD",
        series=(Series("saved", "saved"), Series("cost", "training")),
    ),
)
def qat_cost(given: QatCostArguments) -> Working:
    """GPU hours of quantisation-aware training against the fleet that the format saves.

    QAT makes no kernel faster: at one format its tensors are those of PTQ. It buys quality, so it
    pays only where PTQ is not good enough to be used.
    """
    passes = 6 + 2 * given.teacher
    flops = passes * given.params_b * 1e9 * given.tokens_b * 1e9
    hours = flops / (given.peak_tflops * 1e12 * given.mfu) / 3600
    cost = hours * given.gpu_usd_h
    daily = given.fleet_gpus * (1 - given.fleet_factor) * 24 * given.gpu_usd_h
    work = Working(headline="gpu_hours", source="6 P N FLOPs of training, 2 P N of a teacher")
    work.put("gpu_hours", hours, "GPU h", "of training", "estimate")
    work.put("cost_usd", cost, "USD", "of training", "estimate")
    work.put("saved_usd_per_day", daily, "USD/day", "by the smaller fleet", "estimate")
    work.put("flops", flops, "FLOP", "of training")
    if daily:
        work.put("payback_days", cost / daily, "days", "until it has paid", "estimate")
    else:
        work.warn("the fleet does not shrink: training never pays")
    work.formula = (
        f"{passes} x {plain(given.params_b)}e9 x {plain(given.tokens_b)}e9 FLOP / "
        f"({plain(given.peak_tflops)} TFLOPS x {plain(given.mfu)}) = {plain(hours)} GPU h"
    )
    work.assume(
        "the fleet is what PTQ at this format cannot already save: compare with PTQ first",
        "data, evaluation, failed runs and the work of people are not counted",
    )
    span = cost / daily * 2 if daily else 30.0
    work.table = [
        {"days": span * i / 8, "saved": daily * span * i / 8, "cost": cost} for i in range(9)
    ]
    return work


class QuantGainArguments(Arguments):
    """Arguments of quant_gain."""

    before_ms: float = Field(ge=1e-9, le=1e6, description="Measured step before, ms")
    after_ms: float = Field(ge=1e-9, le=1e6, description="Measured step after, ms")
    weights_share: float = Field(
        ge=0, le=1, description="Share of the step before in reading these weights, 0 to 1"
    )
    bytes_ratio: float = Field(
        default=2, ge=1, le=16, description="How many times fewer bytes the weights have"
    )
    scale_ms: float = Field(
        default=0, ge=0, le=1e5, description="New work per step: quantising, scales, casts, ms"
    )
    kernel_ms: float = Field(
        default=0, ge=0, le=1e5, description="Slower kernels or a fallback, from the trace, ms"
    )
    config_ms: float = Field(
        default=0, ge=0, le=1e5, description="Lost by settings: no graph, smaller batch, ms"
    )


@tool(
    group="quant_planner",
    example={
        "before_ms": 20,
        "after_ms": 21.5,
        "weights_share": 0.7,
        "scale_ms": 2.5,
        "kernel_ms": 4,
        "config_ms": 1.5,
    },
    drawing=Drawing(
        kind="bars",
        title="From the step that should be to the one that is",
        x="part",
        x_label="part",
        y_label="ms",
        series=(Series("ms", "ms"),),
    ),
)
def quant_gain(given: QuantGainArguments) -> Working:
    """What narrower weights should have bought of a step, and where the rest went.

    Expected = before x (1 - share + share / ratio). The gap to the measured step is split into
    scales, kernels and settings; what none of them explains is not the GPU's.
    """
    factor = 1 - given.weights_share + given.weights_share / given.bytes_ratio
    wanted = given.before_ms * factor
    gap = given.after_ms - wanted
    parts = {
        "scales and casts": given.scale_ms,
        "kernels": given.kernel_ms,
        "settings": given.config_ms,
    }
    rest = gap - sum(parts.values())
    work = Working(headline="expected_ms", source="Amdahl's law over the bytes of the weights")
    work.put("expected_ms", wanted, "ms", "step if only the weights' bytes changed", "floor")
    work.put("expected_speedup", 1 / factor, "x", "that the bytes should have bought", "ceiling")
    work.put("speedup", given.before_ms / given.after_ms, "x", "measured")
    work.put("gap_ms", gap, "ms", "measured over expected")
    work.put("unexplained_ms", rest, "ms", "in none of the terms")
    work.formula = (
        f"{plain(given.before_ms)} x (1 - {plain(given.weights_share)} + "
        f"{plain(given.weights_share)} / {plain(given.bytes_ratio)}) = {plain(wanted)} ms; gap "
        f"{plain(gap)} ms"
    )
    slack = 0.02 * given.after_ms
    if rest > slack:
        work.warn(
            f"{plain(rest)} ms are not in the kernels: look at the host, queueing, the metric"
        )
    elif rest < -slack:
        work.warn(f"the terms exceed the gap by {plain(-rest)} ms: they overlap")
    if gap < 0:
        work.warn("faster than the bytes explain: another thing changed too")
    work.assume("same batch and context before and after; cache and activations unchanged")
    counted_parts = [(name, ms) for name, ms in parts.items() if ms]
    work.assume(f"{counted(len(counted_parts), 'term')} given" if counted_parts else "")
    rows = [("expected", wanted), *counted_parts, ("unexplained", max(rest, 0.0))]
    rows += [("measured", given.after_ms), ("before", given.before_ms)]
    work.table = [{"part": name, "ms": ms} for name, ms in rows]
    return work
