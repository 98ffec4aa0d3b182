"""`spec_counters`: acceptance from two snapshots of an engine's speculation counters."""

from typing import Annotated

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

MOST = 10**15
Count = Annotated[int, Field(ge=0, le=MOST)]


class SpecCountersArguments(Arguments):
    """Arguments of spec_counters."""

    drafts: int = Field(ge=0, le=MOST, description="Verifications so far, at the window's end")
    draft_tokens: int | None = Field(
        default=None, ge=0, le=MOST, description="Drafted tokens so far, at the end"
    )
    accepted: int = Field(ge=0, le=MOST, description="Accepted drafts so far, at the end")
    per_position: list[Count] | None = Field(
        default=None, max_length=64, description="Accepted drafts by position so far, at the end"
    )
    drafts_before: int = Field(default=0, ge=0, le=MOST, description="Verifications, at the start")
    draft_tokens_before: int = Field(
        default=0, ge=0, le=MOST, description="Drafted tokens, at the start"
    )
    accepted_before: int = Field(
        default=0, ge=0, le=MOST, description="Accepted drafts, at the start"
    )
    per_position_before: list[Count] | None = Field(
        default=None, max_length=64, description="Accepted by position, at the start"
    )
    emitted: int | None = Field(
        default=None, ge=0, le=MOST, description="Tokens that requests got in the window"
    )


@tool(
    group="spec_decode",
    example={"drafts": 100, "draft_tokens": 400, "accepted": 240, "per_position": [85, 70, 50, 35]},
    drawing=Drawing(
        kind="bars",
        title="How often the draft at each position was accepted",
        x="position",
        x_label="position in the draft",
        y_label="share of the verifications",
        series=(Series("reached", "accepted"),),
    ),
)
def spec_counters(given: SpecCountersArguments) -> Working:
    """Mean acceptance length and rates in a window, from an engine's speculation counters.

    Length = 1 + accepted / drafts: every verification emits one token beyond the accepted ones.
    A counter that fell was reset: the window is refused, not guessed.
    """
    drafts = _delta("drafts", given.drafts, given.drafts_before)
    accepted = _delta("accepted", given.accepted, given.accepted_before)
    if drafts == 0:
        raise ToolError("drafts", given.drafts, "no verification in the window: nothing to rate")
    work = Working(
        headline="acceptance_length", source="vLLM 0.31 spec_decode metrics: 1 + accepted/drafts"
    )
    length = 1 + accepted / drafts
    work.put("acceptance_length", length, "tokens/verification", "mean, with the bonus token")
    work.put("drafts", drafts, "verifications", "in the window", "count")
    work.put("accepted", accepted, "tokens", "drafts accepted in the window", "count")
    work.formula = f"1 + {accepted:,} / {drafts:,} = {plain(length)}"
    _put_rate(work, given, accepted, drafts)
    _put_positions(work, given, accepted, drafts)
    _put_emitted(work, given, accepted + drafts)
    work.assume(
        "counts are of verifications of one request each, not of engine steps: a step of a batch "
        "of 32 adds 32"
    )
    return work


def _delta(field: str, end: int, start: int) -> int:
    if end < start:
        raise ToolError(field, end, f"fell from {start:,}: the counter was reset in the window")
    return end - start


def _put_rate(work: Working, given: SpecCountersArguments, accepted: int, drafts: int) -> None:
    if given.draft_tokens is None:
        work.assume("no draft_tokens: the acceptance rate per drafted token is not known")
        return
    drafted = _delta("draft_tokens", given.draft_tokens, given.draft_tokens_before)
    if accepted > drafted:
        raise ToolError("accepted", accepted, f"is more than the {drafted:,} drafted tokens")
    if drafted:
        work.put("acceptance_rate", accepted / drafted, "fraction", "accepted per drafted token")
        work.put("draft_length", drafted / drafts, "tokens/verification", "mean draft length")


def _put_positions(work: Working, given: SpecCountersArguments, accepted: int, drafts: int) -> None:
    if given.per_position is None:
        return
    before = given.per_position_before or [0] * len(given.per_position)
    if len(before) != len(given.per_position):
        raise ToolError("per_position_before", before, "needs one count for each position")
    found = [
        _delta("per_position", end, start)
        for end, start in zip(given.per_position, before, strict=True)
    ]
    if sum(found) != accepted:
        raise ToolError("per_position", found, f"sums to {sum(found):,}, accepted is {accepted:,}")
    if any(later > earlier for earlier, later in zip([drafts, *found], found, strict=False)):
        raise ToolError("per_position", found, "can only fall: a position needs all before it")
    last = drafts
    for position, count in enumerate(found, 1):
        given_before = count / last if last else 0.0
        work.put(f"position_{position}", count / drafts, "fraction", f"draft {position} accepted")
        work.table.append(
            {"position": position, "reached": count / drafts, "given_all_before": given_before}
        )
        last = count


def _put_emitted(work: Working, given: SpecCountersArguments, counted: int) -> None:
    if given.emitted is None:
        return
    if given.emitted > counted:
        raise ToolError(
            "emitted",
            given.emitted,
            f"is more than accepted + drafts = {counted:,}: the windows "
            "differ, or requests without speculation are in it",
        )
    cut = counted - given.emitted
    work.put("cut_tokens", cut, "tokens", "verified but not emitted: after EOS or a limit", "count")
    if cut:
        work.warn("EOS and length limits cut tokens: emitted / drafts understates the acceptance")
