"""`energy_per_token`: joules per token, power over throughput, and why the throughput decides."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class EnergyArguments(Arguments):
    """Arguments of energy_per_token."""

    watts: float | None = Field(
        default=None, ge=1, le=1e5, description="Mean power of one GPU in W, measured"
    )
    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name: its rated power caps watts"
    )
    gpus: int = Field(default=1, ge=1, le=100_000, description="GPUs of the replica")
    tokens_per_s: float | None = Field(
        default=None, ge=1e-3, le=1e9, description="Tokens/s of the whole replica, measured"
    )
    step_base_ms: float | None = Field(
        default=None, ge=1e-3, le=1e5, description="Instead: decode step without sequences, in ms"
    )
    step_per_sequence_ms: float = Field(
        default=0, ge=0, le=1e5, description="And the time that each sequence adds, in ms"
    )
    batch: int = Field(default=1, ge=1, le=100_000, description="Sequences in the batch")
    overhead: float = Field(
        default=1, ge=1, le=3, description="Site over GPU power: host, cooling (PUE), e.g. 1.3"
    )
    usd_kwh: float | None = Field(default=None, ge=0, le=10, description="Price in USD per kWh")


@tool(
    group="pricing_energy",
    example={
        "watts": 600,
        "gpu": "H200",
        "step_base_ms": 14.58,
        "step_per_sequence_ms": 0.14,
        "batch": 64,
        "overhead": 1.3,
        "usd_kwh": 0.08,
    },
    drawing=Drawing(
        kind="line",
        title="Energy per token against the batch",
        x="batch",
        x_label="sequences in the batch",
        y_label="J per token",
        series=(Series("joules", "J per token"),),
        log_x=True,
        log_y=True,
    ),
)
def energy_per_token(given: EnergyArguments) -> Working:
    """Joules per token: power over tokens per second, at a measured rate or by the batch.

    The power lies between idle and the rated cap, a factor of few; the throughput changes by the
    batch, tens of times. So compare energy only at a stated batch and context.
    """
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    source = "power over throughput" + (f"; {gpu.spec.source}" if gpu else "")
    work = Working(headline="joules", source=source)
    rated = gpu.spec.tdp_w if gpu else None
    watts = given.watts if given.watts is not None else rated
    if watts is None:
        raise ToolError("watts", None, "is required: the measured power, or a GPU's name")
    if rated is not None and watts > rated * 1.05:
        raise ToolError("watts", watts, f"is above the rated {plain(rated)} W of {given.gpu}")
    if given.watts is None:
        work.warn(f"the rated {plain(watts)} W as power: a ceiling; measured power is lower")
    power, rate = watts * given.gpus * given.overhead, _rate(given, given.batch)
    joules = power / rate
    kind = "ceiling" if given.watts is None else "estimate" if given.step_base_ms else "exact"
    work.put("joules", joules, "J/token", "energy per token", kind)
    work.put("tokens_per_s", rate, "tokens/s", "of the replica", kind)
    work.put("power_W", power, "W", "of the replica, with the site's overhead", kind)
    work.put("kwh_per_m", joules / 3.6, "kWh/M tokens", "energy of a million tokens", kind)
    if given.usd_kwh is not None:
        cost = joules / 3.6 * given.usd_kwh
        work.put("usd_per_m", cost, "USD/M tokens", "electricity of a million tokens", kind)
    if given.step_base_ms is not None and given.batch > 1:
        alone = power / _rate(given, 1)
        work.put("batch_1_joules", alone, "J/token", "the same at batch 1", "estimate")
        work.put("saving", alone / joules, "x", "batch 1 over this batch", "estimate")
    work.formula = (
        f"{given.gpus} x {plain(watts)} W x {plain(given.overhead)} / {plain(rate)} tokens/s = "
        f"{plain(joules)} J/token"
    )
    if gpu:
        gpu.tell(work)
    work.assume("the power is taken as the same at any batch")
    work.table = [
        {"batch": batch, "joules": power / _rate(given, batch), "tokens_per_s": _rate(given, batch)}
        for batch in (
            sorted({1, 4, 16, 64, 256, given.batch}) if given.step_base_ms else [given.batch]
        )
    ]
    return work


def _rate(given: EnergyArguments, batch: int) -> float:
    """Tokens/s of the replica; a measured rate does not change with the batch."""
    if (given.tokens_per_s is None) == (given.step_base_ms is None):
        raise ToolError(
            "tokens_per_s", given.tokens_per_s, "give either it or step_base_ms (and batch)"
        )
    if given.tokens_per_s is not None:
        return given.tokens_per_s
    return batch * 1e3 / ((given.step_base_ms or 0) + batch * given.step_per_sequence_ms)
