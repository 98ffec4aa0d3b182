"""`gap_dilution`: from a headline rate down to the measured one, factor by factor, and the rest."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Factor(Arguments):
    """One measured dilution."""

    name: str = Field(min_length=1, max_length=60, description="What it is, e.g. batch not full")
    share: float = Field(
        gt=0, le=2, description="What it leaves of the rate: 0.8 takes a fifth; over 1 adds"
    )


class DilutionArguments(Arguments):
    """Arguments of gap_dilution."""

    claimed: float = Field(ge=1e-6, le=1e12, description="Rate that was claimed, in tokens/s")
    measured: float = Field(ge=1e-6, le=1e12, description="Rate that is measured, in tokens/s")
    factors: list[Factor] = Field(
        default=[], max_length=20, description="Dilutions that were measured: name and share"
    )


@tool(
    group="telemetry",
    example={
        "claimed": 2600,
        "measured": 1250,
        "factors": [
            {"name": "batch fill", "share": 0.7},
            {"name": "prefill in the steps", "share": 0.8},
            {"name": "longer context", "share": 0.95},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="The rate after each dilution",
        x="factor",
        x_label="after",
        y_label="tokens/s",
        series=(Series("rate", "tokens/s"),),
    ),
)
def gap_dilution(given: DilutionArguments) -> Working:
    """How much of the gap between a claimed and a measured rate the known dilutions explain.

    Shares multiply; each part's size is by its logarithm, so that the order does not matter. What
    is left over is a dilution not yet measured, or a wrong share.
    """
    if given.measured > given.claimed:
        raise ToolError("measured", given.measured, "is above claimed: there is no gap")
    rate = given.claimed
    rows: list[dict[str, float | str]] = [{"factor": "claimed", "rate": rate}]
    for factor in given.factors:
        rate *= factor.share
        rows.append({"factor": factor.name, "rate": rate})
    rows.append({"factor": "measured", "rate": given.measured})
    rest = given.measured / rate
    work = Working(headline="unexplained", source="product of measured shares")
    work.put("unexplained", rest, "x", "measured over what the dilutions leave")
    work.put("gap", given.claimed / given.measured, "x", "claimed over measured")
    work.put("predicted", rate, "tokens/s", "after all dilutions")
    if given.factors:
        largest = min(given.factors, key=lambda factor: factor.share)
        work.put("largest_share", largest.share, "x", f"largest: {largest.name}")
    shares = " x ".join(plain(factor.share) for factor in given.factors) or "1"
    work.formula = (
        f"{plain(given.claimed)} x {shares} = {plain(rate)}; measured {plain(given.measured)}, "
        f"{plain(rest)} x of it"
    )
    work.assume("the shares are independent of each other; each was measured, not fitted")
    if rest < 0.9:
        work.warn(
            "over a tenth is unexplained: replay the claimed conditions and change one by one"
        )
    if rest > 1.1:
        work.warn(
            "the dilutions explain more than the gap: some share is too small, or they overlap"
        )
    work.table = rows
    return work
