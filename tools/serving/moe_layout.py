"""`moe_padding`, `moe_balance`: the expert-sorted layout, and what waits for the fullest rank."""

from collections.abc import Sequence
from statistics import correlation
from typing import Annotated

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.serving.routing import balanced, expected_blocks, padded
from tools.working import Working, plain

Load = Annotated[int, Field(ge=0, le=100_000_000)]
Chosen = Annotated[int, Field(ge=0, le=4095)]


class MoePaddingArguments(Arguments):
    """Arguments of moe_padding."""

    routes: list[list[Chosen]] | None = Field(
        default=None, min_length=1, max_length=512, description="Experts that each token chose"
    )
    counts: list[Load] | None = Field(
        default=None, min_length=1, max_length=1024, description="Or: tokens of each expert"
    )
    experts: int = Field(ge=1, le=4096, description="Routed experts of the layer")
    per_token: int | None = Field(
        default=None, ge=1, le=4096, description="Or, for an expectation: experts per token, and"
    )
    batch: int | None = Field(default=None, ge=1, le=4096, description="tokens of the step")
    block: int = Field(default=16, ge=1, le=1024, description="Rows of a GEMM block")


@tool(
    group="moe",
    example={"routes": [[0, 2], [2, 3], [2, 0], [5, 2], [0, 5]], "experts": 8, "block": 4},
    drawing=Drawing(
        kind="bars",
        title="Rows of each expert: tokens and padding",
        x="expert",
        x_label="expert",
        y_label="rows",
        series=(Series("tokens", "tokens"), Series("padding", "padding")),
    ),
)
def moe_padding(given: MoePaddingArguments) -> Working:
    """Expert-sorted layout of a fused MoE kernel: blocks of one expert each, and their padding.

    Token-expert pairs are sorted by expert; each expert's rows are filled up to whole blocks, so
    that a block reads one expert's weights. One launch instead of one for each expert.
    """
    work = Working(headline="padding_share", source="vLLM fused_moe: moe_align_block_size")
    if given.per_token is not None or given.batch is not None:
        return _expected(work, given)
    counts = _counts(given)
    rows, total = padded(counts, given.block), sum(counts)
    if total == 0:
        raise ToolError("counts", counts[:20], "no token was routed")
    work.put("padding_share", 1 - total / rows, "fraction", "of the rows that are padding")
    work.put("rows", rows, "rows", "with padding", "count")
    work.put("pairs", total, "rows", "token-expert pairs", "count")
    work.put("blocks", rows // given.block, "blocks", f"of {given.block} rows", "count")
    used = sum(1 for count in counts if count)
    work.put("experts_used", used, "experts", "whose weights are read", "count")
    work.put("launches_saved", 3 * used - 2, "launches", "against 3 GEMMs for each expert", "count")
    work.formula = f"1 - {total:,} pairs / {rows:,} rows = {plain(1 - total / rows)}"
    work.assume("two fused launches (gate and up together, then down) against three per expert")
    start, offset = 0, 0
    order = _order(given)
    for expert, count in enumerate(counts):
        room = -(-count // given.block) * given.block
        row: dict[str, object] = {
            "expert": str(expert),
            "tokens": count,
            "padding": room - count,
            "first_row": offset,
        }
        if order is not None:
            row["sorted_pairs"] = " ".join(map(str, order[start : start + count]))
        work.table.append(row)
        start, offset = start + count, offset + room
    return work


def _counts(given: MoePaddingArguments) -> list[int]:
    if (given.routes is None) == (given.counts is None):
        raise ToolError("routes", None, "give routes, or counts, or per_token and batch")
    if given.counts is not None:
        if len(given.counts) != given.experts:
            raise ToolError("counts", len(given.counts), f"needs one for each of {given.experts}")
        return given.counts
    counts = [0] * given.experts
    for token, chosen in enumerate(given.routes or []):
        if len(set(chosen)) != len(chosen):
            raise ToolError("routes", chosen, f"token {token} chose an expert twice")
        for expert in chosen:
            if expert >= given.experts:
                raise ToolError("routes", expert, f"is not one of {given.experts} experts")
            counts[expert] += 1
    return counts


def _order(given: MoePaddingArguments) -> list[int] | None:
    """Numbers of the pairs (token x k + choice), sorted by expert, stable."""
    if given.routes is None:
        return None
    flat = [expert for chosen in given.routes for expert in chosen]
    return sorted(range(len(flat)), key=lambda pair: flat[pair])


def _expected(work: Working, given: MoePaddingArguments) -> Working:
    if given.per_token is None or given.batch is None or given.routes or given.counts:
        raise ToolError("per_token", given.per_token, "give per_token and batch, without routes")
    if given.per_token > given.experts:
        raise ToolError("per_token", given.per_token, f"is more than {given.experts} experts")
    chance = given.per_token / given.experts
    for block in sorted({8, 16, 32, 64, 128, given.block}):
        rows = given.experts * expected_blocks(given.batch, chance, block) * block
        share = 1 - given.batch * given.per_token / rows
        row: dict[str, object] = {"expert": f"block {block}", "rows": rows, "share": share}
        row["tokens"], row["padding"] = rows * (1 - share), rows * share
        work.table.append(row)
        if block == given.block:
            work.put("padding_share", share, "fraction", "of the rows, expected", "estimate")
            work.put("rows", rows, "rows", "expected, with padding", "estimate")
            blocks = rows / block
            work.put("blocks", blocks, "blocks", f"of {block} rows, expected", "estimate")
    pairs = given.batch * given.per_token
    work.put("pairs", pairs, "rows", "token-expert pairs", "count")
    rows = work.measures["rows"].value
    work.formula = f"1 - {pairs:,} / (E x sum over n of P(n) ceil(n/{given.block}) x {given.block})"
    work.formula += f" = 1 - {pairs:,} / {plain(rows)}"
    work.assume("tokens of an expert are binomial: independent uniform routing")
    return work


class MoeBalanceArguments(Arguments):
    """Arguments of moe_balance."""

    counts: list[Load] = Field(
        min_length=2, max_length=1024, description="Tokens of each expert in the step"
    )
    ranks: int = Field(ge=2, le=512, description="GPUs that share the experts, evenly")
    placement: list[Annotated[int, Field(ge=0, le=511)]] | None = Field(
        default=None, max_length=1024, description="Rank of each expert; default: in order"
    )
    us_per_token: float = Field(
        default=1, ge=1e-9, le=1e6, description="Arithmetic of a rank for each token, us"
    )
    fixed_us: float = Field(default=0, ge=0, le=1e7, description="What a rank pays in any case, us")
    comm_us: float = Field(
        default=0, ge=0, le=1e7, description="Exchange itself once all have arrived, us"
    )
    combine_spans_us: list[Annotated[float, Field(ge=0, le=1e9)]] | None = Field(
        default=None, max_length=512, description="Measured combine span of each rank, us"
    )


@tool(
    group="moe",
    example={
        "counts": [420, 60, 50, 70, 65, 55, 40, 40],
        "ranks": 4,
        "us_per_token": 0.5,
        "comm_us": 40,
    },
    drawing=Drawing(
        kind="bars",
        title="A layer on each rank: arithmetic, then waiting and exchange in the combine",
        x="rank",
        x_label="rank",
        y_label="us",
        series=(Series("compute_us", "arithmetic"), Series("combine_us", "combine span")),
    ),
)
def moe_balance(given: MoeBalanceArguments) -> Working:
    """Load of each rank under a placement of experts, and who waits in the combine for whom.

    The layer ends with the fullest rank. A lightly loaded rank has the longest combine span
    because it waits there: the span is a symptom of another rank's load, not of the network.
    """
    placed = _placement(given)
    loads = _loads(given.counts, placed, given.ranks)
    if not sum(loads):
        raise ToolError("counts", given.counts[:20], "no token was routed")
    mean = sum(loads) / given.ranks
    work = Working(headline="imbalance", source="max over mean load; a combine ends with the last")
    work.put("imbalance", max(loads) / mean, "x", "fullest rank against the mean")
    spent = [given.fixed_us + given.us_per_token * load for load in loads]
    slowest = max(spent)
    work.put("layer_us", slowest + given.comm_us, "us/layer", "slowest rank and exchange", "floor")
    even = given.fixed_us + given.us_per_token * mean
    work.put("even_us", even + given.comm_us, "us/layer", "if every rank had the mean", "floor")
    spans = [slowest - own + given.comm_us for own in spent]
    work.put("longest_combine_us", max(spans), "us", "on the rank with the least load", "estimate")
    waiting = sum(slowest - own for own in spent) / given.ranks
    work.put("mean_wait_us", waiting, "us/rank", "in the combine for the slowest", "estimate")
    better = max(_loads(given.counts, balanced(given.counts, given.ranks), given.ranks))
    work.put("greedy_imbalance", better / mean, "x", "after moving experts, heaviest first")
    saved = given.us_per_token * (max(loads) - better)
    work.put("placement_saves_us", saved, "us/layer", "by that placement", "estimate")
    hottest = max(given.counts)
    work.put("hottest_bound", hottest / mean, "x", "one expert alone: below it only copies help")
    if given.combine_spans_us is not None:
        _put_measured(work, given.combine_spans_us, loads)
    work.formula = f"{max(loads):,} tokens / {plain(mean)} mean = {plain(max(loads) / mean)}x"
    work.assume(
        "ranks start together; all wait in the combine for the last",
        "control: give every rank equal tokens; spans that stay long then are the network's",
    )
    if hottest > mean:
        work.warn("the hottest expert alone exceeds a rank's mean: copy it to several ranks")
    work.table = [
        {
            "rank": str(rank),
            "tokens": load,
            "compute_us": spent[rank],
            "combine_us": spans[rank],
            "experts": " ".join(str(e) for e, r in enumerate(placed) if r == rank)[:120],
        }
        for rank, load in enumerate(loads)
    ]
    return work


def _put_measured(work: Working, spans: Sequence[float], loads: Sequence[int]) -> None:
    """Whether long spans are waiting (they fall with the load) or the network's."""
    if len(spans) != len(loads):
        raise ToolError("combine_spans_us", len(spans), f"needs one for each of {len(loads)} ranks")
    work.put("exchange_us", min(spans), "us", "shortest span: the exchange itself", "ceiling")
    if len(set(spans)) > 1 and len(set(loads)) > 1:
        r = correlation(list(map(float, loads)), list(spans))
        work.put("span_load_correlation", r, "correlation", "near -1: long spans are waiting")
        if r > -0.5:
            work.warn("spans do not fall with the load: look at the network, not the placement")


def _placement(given: MoeBalanceArguments) -> Sequence[int]:
    experts = len(given.counts)
    if experts % given.ranks:
        raise ToolError("ranks", given.ranks, f"{experts} experts do not divide over them")
    room = experts // given.ranks
    placed = given.placement or [expert // room for expert in range(experts)]
    if len(placed) != experts:
        raise ToolError("placement", len(placed), f"needs a rank for each of {experts} experts")
    for rank in placed:
        if rank >= given.ranks:
            raise ToolError("placement", rank, f"is not one of {given.ranks} ranks")
        if placed.count(rank) != room:
            raise ToolError("placement", rank, f"each rank holds {room} experts")
    return placed


def _loads(counts: Sequence[int], placed: Sequence[int], ranks: int) -> list[int]:
    loads = [0] * ranks
    for count, rank in zip(counts, placed, strict=True):
        loads[rank] += count
    return loads
