"""`offline_job`: GPU-hours and price of an offline job in passes, and which pass is the bill."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Pass(Arguments):
    """One pass over the documents."""

    name: str = Field(min_length=1, max_length=40, description="What it does")
    documents: int = Field(ge=1, le=10**11, description="Documents that it reads")
    input_tokens: float = Field(ge=0, le=1e8, description="Prompt tokens of each, not cached")
    output_tokens: float = Field(ge=0, le=1e7, description="Tokens that each yields")
    prefill_tokens_per_s: float = Field(ge=1e-3, le=1e8, description="Prompt tokens/s of one GPU")
    decode_tokens_per_s: float = Field(
        ge=1e-3, le=1e8, description="Reply tokens/s of one GPU at the largest batch"
    )


class JobArguments(Arguments):
    """Arguments of offline_job."""

    passes: list[Pass] = Field(
        min_length=1, max_length=10, description="Passes: documents, tokens of each, tokens/s"
    )
    gpu_usd_h: float = Field(ge=0, le=1e5, description="Price of one GPU in USD/h")
    deadline_h: float | None = Field(
        default=None, ge=0.01, le=1e5, description="Hours in which all passes must end"
    )
    utilisation: float = Field(
        default=1, ge=0.01, le=1, description="Share of the paid time that works"
    )


@tool(
    group="pricing_energy",
    example={
        "passes": [
            {
                "name": "classify",
                "documents": 100000000,
                "input_tokens": 1500,
                "output_tokens": 5,
                "prefill_tokens_per_s": 30000,
                "decode_tokens_per_s": 8000,
            },
            {
                "name": "extract",
                "documents": 5000000,
                "input_tokens": 1500,
                "output_tokens": 400,
                "prefill_tokens_per_s": 5000,
                "decode_tokens_per_s": 2500,
            },
        ],
        "gpu_usd_h": 2.5,
        "deadline_h": 72,
    },
    drawing=Drawing(
        kind="bars",
        title="GPU-hours by pass and phase",
        x="pass",
        x_label="pass",
        y_label="GPU hours",
        series=(Series("prefill_h", "prompts"), Series("decode_h", "replies")),
    ),
)
def offline_job(given: JobArguments) -> Working:
    """GPU-hours of each pass and phase of an offline job, its price, and GPUs for a deadline.

    documents x (input / prefill rate + output / decode rate) / utilisation. Without a latency
    target the batch is as large as memory lets it, so both rates are those of a full batch.
    """
    names = [part.name for part in given.passes]
    if len(set(names)) < len(names):
        raise ToolError("passes", "…", "each needs a name of its own")
    rows = [_row(part, given.utilisation) for part in given.passes]
    hours = {str(row["pass"]): float(row["prefill_h"]) + float(row["decode_h"]) for row in rows}
    total = sum(hours.values())
    if not total:
        raise ToolError("passes", "…", "neither read nor write a token")
    largest = max(hours, key=lambda name: hours[name])
    work = Working(headline="gpu_hours", source="tokens over rates")
    work.put("gpu_hours", total, "GPU h", "all passes", "estimate")
    work.put("usd", total * given.gpu_usd_h, "USD", "all passes", "estimate")
    share = hours[largest] / total
    work.put("largest_share", share, "fraction", f"of it in {largest}", "estimate")
    decode = sum(float(row["decode_h"]) for row in rows) / total
    work.put("decode_share", decode, "fraction", "of it for replies", "estimate")
    tokens = sum(p.documents * (p.input_tokens + p.output_tokens) for p in given.passes)
    price = total * given.gpu_usd_h / tokens * 1e6
    work.put("usd_per_m", price, "USD/M tokens", "over all tokens read and written", "estimate")
    if given.deadline_h is not None:
        gpus = max(1, ceil(total / given.deadline_h - 1e-9))
        work.put("gpus", gpus, "GPUs", f"to end in {plain(given.deadline_h)} h", "count")
    work.formula = (
        " + ".join(f"{name} {plain(each)}" for name, each in hours.items())
        + f" = {plain(total)} GPU h x {plain(given.gpu_usd_h)} USD/h"
    )
    work.assume("rates are those of a full batch; both phases share the GPU's time")
    work.table = rows
    return work


def _row(part: Pass, utilisation: float) -> dict[str, float | str]:
    each = part.documents / utilisation / 3600
    return {
        "pass": part.name,
        "prefill_h": each * part.input_tokens / part.prefill_tokens_per_s,
        "decode_h": each * part.output_tokens / part.decode_tokens_per_s,
    }
