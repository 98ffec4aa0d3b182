"""`token_price`: cost per million input and output tokens from GPU price, rates and utilisation."""

from dataclasses import dataclass, replace

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class PriceArguments(Arguments):
    """Arguments of token_price."""

    gpu_usd_h: float = Field(ge=0, le=1e5, description="Price of one GPU in USD/h")
    gpus: int = Field(default=1, ge=1, le=100_000, description="GPUs of the replica")
    prefill_tokens_per_s: float | None = Field(
        default=None, ge=1e-3, le=1e9, description="Uncached prompt tokens/s of the whole replica"
    )
    decode_tokens_per_s: float | None = Field(
        default=None, ge=1e-3, le=1e9, description="Reply tokens/s of the whole replica"
    )
    utilisation: float = Field(
        default=1, ge=0.01, le=1, description="Share of the paid time that serves requests"
    )
    margin: float = Field(
        default=0, ge=0, lt=1, description="Share of the list price that is not cost"
    )
    input_per_output: float | None = Field(
        default=None, ge=0, le=1e6, description="Prompt tokens per reply token, for a blended price"
    )
    cached_share: float = Field(
        default=0, ge=0, le=1, description="Share of prompt tokens served from the prefix cache"
    )


@dataclass(frozen=True)
class Inputs:
    """What a price rests on; rates in tokens/s, price in USD/h of the replica."""

    usd_h: float
    prefill: float
    decode: float
    utilisation: float
    margin: float

    def per_million(self, rate: float) -> float:
        """USD per million tokens made at `rate`."""
        return self.usd_h / 3600 / (rate * self.utilisation) * 1e6 / (1 - self.margin)


@tool(
    group="pricing_energy",
    example={
        "gpu_usd_h": 2.5,
        "gpus": 4,
        "prefill_tokens_per_s": 14000,
        "decode_tokens_per_s": 2600,
        "utilisation": 0.5,
        "margin": 0.3,
        "input_per_output": 10,
        "cached_share": 0.4,
    },
    drawing=Drawing(
        kind="bars",
        title="Output price if one assumption is a quarter worse",
        x="worse",
        x_label="a quarter worse",
        y_label="USD per million output tokens",
        series=(Series("output_usd", "output"),),
    ),
)
def token_price(given: PriceArguments) -> Working:
    """USD per million input and output tokens: GPU price over goodput of each phase.

    price = GPUs x USD/h / 3600 / (tokens/s x utilisation) x 1e6 / (1 - margin), phase by phase;
    a cached prompt token is taken to cost nothing to compute.
    """
    if given.prefill_tokens_per_s is None and given.decode_tokens_per_s is None:
        raise ToolError("decode_tokens_per_s", None, "give it or prefill_tokens_per_s, or both")
    key, rate = (
        ("output_usd", given.decode_tokens_per_s)
        if given.decode_tokens_per_s is not None
        else ("input_usd", given.prefill_tokens_per_s)
    )
    work = Working(headline=key, source="cost over goodput")
    inputs = Inputs(
        given.gpu_usd_h * given.gpus,
        given.prefill_tokens_per_s or 1.0,
        given.decode_tokens_per_s or 1.0,
        given.utilisation,
        given.margin,
    )
    _put_prices(work, given, inputs)
    work.formula = (
        f"{given.gpus} x {plain(given.gpu_usd_h)} USD/h / 3600 s / "
        f"({plain(rate or 1.0)} tokens/s x {plain(given.utilisation)}) / "
        f"(1 - {plain(given.margin)}) = "
        f"{plain(work.measures[key].value)} USD/M"
    )
    work.assume(
        "M is a million tokens; rates are of a replica that does only that phase",
        "GPU time alone: no storage, network, staff or failed requests",
    )
    if given.utilisation == 1:
        work.warn("at full utilisation: a fleet sized for its peak is often busy half the time")
    work.table = _worse(given, inputs)
    return work


def _put_prices(work: Working, given: PriceArguments, inputs: Inputs) -> None:
    unit = "USD/M tokens"
    if given.prefill_tokens_per_s is not None:
        fresh = inputs.per_million(inputs.prefill)
        work.put("input_usd", fresh, unit, "input, not cached", "estimate")
        mean = fresh * (1 - given.cached_share)
        work.put("mean_input_usd", mean, unit, "input, with the cached share", "estimate")
    if given.decode_tokens_per_s is not None:
        work.put("output_usd", inputs.per_million(inputs.decode), unit, "output", "estimate")
    if given.prefill_tokens_per_s is None or given.decode_tokens_per_s is None:
        return
    ratio = inputs.prefill / inputs.decode
    work.put("output_over_input", ratio, "x", "output price over input price", "estimate")
    if given.input_per_output is not None:
        paid = work.measures["mean_input_usd"].value * given.input_per_output
        output = work.measures["output_usd"].value
        blended = (paid + output) / (given.input_per_output + 1)
        work.put("blended_usd", blended, unit, "all tokens alike", "estimate")
        share = paid / (paid + output) if paid + output else 0.0
        work.put("input_share", share, "fraction", "of the bill is input", "estimate")


def _worse(given: PriceArguments, inputs: Inputs) -> list[dict[str, float | str]]:
    """Prices with each assumption a quarter worse in turn."""
    cases = {
        "as given": inputs,
        "GPU price": replace(inputs, usd_h=inputs.usd_h * 1.25),
        "rates": replace(inputs, prefill=inputs.prefill * 0.75, decode=inputs.decode * 0.75),
        "utilisation": replace(inputs, utilisation=inputs.utilisation * 0.75),
        "margin": replace(inputs, margin=inputs.margin + (1 - inputs.margin) / 4),
    }
    return [
        {
            "worse": name,
            "input_usd": case.per_million(case.prefill) if given.prefill_tokens_per_s else 0.0,
            "output_usd": case.per_million(case.decode) if given.decode_tokens_per_s else 0.0,
        }
        for name, case in cases.items()
    ]
