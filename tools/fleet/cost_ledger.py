"""`cost_ledger`: audits claims of cheaper serving: cost per good request, under its gates."""

from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.proportions import newcombe
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Option(Arguments):
    """One row of the ledger: a way of serving, as it was measured."""

    name: str = Field(min_length=1, max_length=60, description="What it is called")
    gpu_usd_h: float = Field(ge=0, le=1e5, description="Price of one GPU in USD/h")
    gpus: int = Field(ge=1, le=1_000_000, description="GPUs that were paid for, idle ones too")
    hours: float = Field(ge=1e-3, le=1e5, description="Hours that were paid for")
    requests: int = Field(ge=1, le=10**10, description="Requests that were answered")
    in_time: int = Field(ge=0, le=10**10, description="Of them within the latency target")
    eval_passed: int = Field(ge=0, le=10**7, description="Quality cases that passed")
    eval_cases: int = Field(ge=1, le=10**7, description="Quality cases that were tried")
    other_usd: float = Field(default=0, ge=0, le=1e9, description="Other cost of the period in USD")


class LedgerArguments(Arguments):
    """Arguments of cost_ledger."""

    options: list[Option] = Field(
        min_length=2, max_length=20, description="Ways of serving; the first is the one in use"
    )
    min_in_time: float = Field(
        default=0.99, ge=0, le=1, description="Share of requests that must be in time"
    )
    max_quality_loss: float = Field(
        default=0.02, ge=0, le=1, description="Loss of pass rate that would still be borne"
    )


@tool(
    group="pricing_energy",
    example={
        "options": [
            {
                "name": "in use",
                "gpu_usd_h": 3,
                "gpus": 8,
                "hours": 24,
                "requests": 1000000,
                "in_time": 996000,
                "eval_passed": 920,
                "eval_cases": 1000,
            },
            {
                "name": "cheaper GPU",
                "gpu_usd_h": 1.5,
                "gpus": 20,
                "hours": 24,
                "requests": 1000000,
                "in_time": 994000,
                "eval_passed": 918,
                "eval_cases": 1000,
            },
            {
                "name": "fp8",
                "gpu_usd_h": 3,
                "gpus": 5,
                "hours": 24,
                "requests": 1000000,
                "in_time": 995000,
                "eval_passed": 915,
                "eval_cases": 1000,
            },
        ],
        "max_quality_loss": 0.04,
    },
    drawing=Drawing(
        kind="bars",
        title="Cost of a thousand requests in time",
        x="option",
        x_label="option",
        y_label="USD",
        series=(Series("usd_per_1000_good", "per 1000 in time"),),
    ),
)
def cost_ledger(given: LedgerArguments) -> Working:
    """Cost per request in time of each way of serving, and which may replace the one in use.

    Cost is all that was paid, idle GPUs included, over the requests that met the latency target. A
    cheaper option passes only if it is in time often enough and the lower Newcombe bound of its
    pass rate's change stays above the loss allowed.
    """
    names = [option.name for option in given.options]
    if len(set(names)) < len(names):
        raise ToolError("options", "…", "each needs a name of its own")
    rows = [_row(number, given) for number in range(len(names))]
    work = Working(headline="best_usd", source="cost over goodput; Newcombe (1998)")
    passing = [row for row in rows if row["verdict"] in ("in use", "cheaper")]
    best = min(passing, key=lambda row: float(row["usd_per_1000_good"]))
    unit = "USD/1000 in time"
    work.put("best_usd", float(best["usd_per_1000_good"]), unit, f"best: {best['option']}")
    work.put("in_use_usd", float(rows[0]["usd_per_1000_good"]), unit, f"in use: {names[0]}")
    saving = 1 - float(best["usd_per_1000_good"]) / float(rows[0]["usd_per_1000_good"])
    work.put("saving", saving, "fraction", "of the cost per request in time")
    work.put("rejected", len(rows) - len(passing), "options", "did not pass", "count")
    paid = float(best["usd_per_1000_good"])
    work.formula = f"GPUs x hours x price / requests in time: {best['option']} {plain(paid)} {unit}"
    work.assume("options were measured on alike traffic; prices as stated; cases are independent")
    work.warn(*(f"{row['option']}: {row['verdict']}" for row in rows[1:] if row not in passing))
    work.table = rows
    return work


def _row(number: int, given: LedgerArguments) -> dict[str, Any]:
    option, base = given.options[number], given.options[0]
    for field, part, whole in (
        ("in_time", option.in_time, option.requests),
        ("eval_passed", option.eval_passed, option.eval_cases),
    ):
        if part > whole:
            raise ToolError(f"options.{number}.{field}", part, f"is more than {whole:,}")
    if not option.in_time:
        raise ToolError(
            f"options.{number}.in_time", 0, "nothing was in time: there is no cost of it"
        )
    bill = _bill(option)
    arms = ((option.eval_passed, option.eval_cases), (base.eval_passed, base.eval_cases))
    low, _ = newcombe(*arms, 0.95)
    row = {
        "option": option.name,
        "usd": bill,
        "usd_per_1000": bill / option.requests * 1e3,
        "usd_per_1000_good": bill / option.in_time * 1e3,
        "in_time": option.in_time / option.requests,
        "quality_change": option.eval_passed / option.eval_cases
        - base.eval_passed / base.eval_cases,
        "quality_low": low if number else 0.0,
    }
    return {**row, "verdict": "in use" if number == 0 else _verdict(row, given)}


def _bill(option: Option) -> float:
    bill = option.gpu_usd_h * option.gpus * option.hours + option.other_usd
    if not bill:
        raise ToolError("options", option.name, "cost nothing: state its price")
    return bill


def _verdict(row: dict[str, Any], given: LedgerArguments) -> str:
    base = given.options[0]
    if row["usd_per_1000_good"] >= _bill(base) / base.in_time * 1e3:
        return "not cheaper per request in time"
    if row["in_time"] < given.min_in_time:
        return "misses the latency gate"
    if row["quality_low"] < -given.max_quality_loss:
        return "quality loss not ruled out"
    return "cheaper"
