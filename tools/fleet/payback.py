"""`payback`: after how long a one-off cost in GPU hours is earned back by a smaller fleet."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class PaybackArguments(Arguments):
    """Arguments of payback."""

    one_off_gpu_hours: float = Field(
        ge=0, le=1e9, description="GPU hours spent once, e.g. a QAT run and its trials"
    )
    one_off_usd: float = Field(default=0, ge=0, le=1e9, description="Other one-off cost in USD")
    gpu_usd_h: float = Field(ge=1e-3, le=1e4, description="Price of one GPU in USD/h")
    gpus_before: float = Field(ge=0, le=1e6, description="GPUs of the fleet now")
    gpus_after: float = Field(ge=0, le=1e6, description="GPUs of the fleet afterwards")
    life_days: float = Field(
        default=180, ge=1, le=10_000, description="Days until the model is replaced"
    )


@tool(
    group="pricing_energy",
    example={
        "one_off_gpu_hours": 20000,
        "gpu_usd_h": 2.5,
        "gpus_before": 64,
        "gpus_after": 48,
        "life_days": 180,
    },
    drawing=Drawing(
        kind="line",
        title="What has been spent and saved",
        x="day",
        x_label="days",
        y_label="USD",
        series=(Series("saved_usd", "saved"), Series("spent_usd", "spent")),
    ),
)
def payback(given: PaybackArguments) -> Working:
    """Days until a one-off cost is earned back by the GPUs that it saves.

    days = one-off GPU hours / (24 x GPUs saved), plus other cost at the GPU's price. What makes
    nothing smaller, such as QAT in the format that PTQ already has, never pays by GPUs.
    """
    saved = given.gpus_before - given.gpus_after
    if saved <= 0:
        raise ToolError(
            "gpus_after", given.gpus_after, "saves no GPU: only quality could pay for it"
        )
    spent = given.one_off_gpu_hours * given.gpu_usd_h + given.one_off_usd
    daily = saved * 24 * given.gpu_usd_h
    days = spent / daily
    work = Working(headline="days", source="one-off cost over daily saving")
    work.put("days", days, "days", "until it is earned back", "estimate")
    work.put("spent_usd", spent, "USD", "spent once")
    work.put("daily_usd", daily, "USD/day", "saved by the smaller fleet")
    net = daily * given.life_days - spent
    work.put("net_usd", net, "USD", f"after {plain(given.life_days)} days", "estimate")
    least = spent / (24 * given.gpu_usd_h * given.life_days)
    work.put("least_gpus", least, "GPUs", "that it must save to pay in its life")
    work.formula = (
        f"{plain(spent)} USD / ({plain(saved)} GPUs x 24 h x {plain(given.gpu_usd_h)} USD/h)"
    )
    work.formula += f" = {plain(days)} days"
    work.assume("the GPUs saved are given back or used; the fleet is the same for all of its life")
    work.warn("it does not pay back in the life of the model" if net < 0 else "")
    work.table = [
        {
            "day": given.life_days * part / 10,
            "saved_usd": daily * given.life_days * part / 10,
            "spent_usd": spent,
        }
        for part in range(11)
    ]
    return work
