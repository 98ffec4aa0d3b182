"""`waves`, `split_kv`: tiles over SMs, the tail wave, and how far to split a decode's keys."""

from collections.abc import Sequence
from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain

TILES = ((64, 128), (128, 128), (128, 192), (128, 256), (256, 128))
ENOUGH, NEAR = 0.8, 0.85
"""FlashAttention: no split if this share of SMs is busy; fewest splits within this of the best."""


class WavesArguments(Arguments):
    """Arguments of waves."""

    tiles: int | None = Field(default=None, ge=1, le=10**9, description="Tiles of the kernel")
    m: int | None = Field(default=None, ge=1, le=10**8, description="Instead: rows, and")
    n: int | None = Field(default=None, ge=1, le=10**8, description="columns of the output, with")
    tile_m: int = Field(default=128, ge=1, le=65_536, description="rows and")
    tile_n: int = Field(default=128, ge=1, le=65_536, description="columns of a tile")
    gpu: str | None = Field(default=None, max_length=60, description="GPU by name, for its SMs")
    sms: int | None = Field(default=None, ge=1, le=100_000, description="SMs, instead of a GPU's")
    blocks_per_sm: int = Field(default=1, ge=1, le=64, description="Tiles that an SM runs at once")
    tile_us: float | None = Field(default=None, ge=1e-9, le=1e9, description="Time of a tile in us")


@tool(
    group="gpu_kernel_calc",
    example={"m": 1792, "n": 1280, "gpu": "H100", "tile_us": 20},
    drawing=Drawing(
        kind="line",
        title="Share of the SMs' time that is used, by number of tiles",
        x="tiles",
        x_label="tiles",
        y_label="efficiency",
        series=(Series("efficiency", "wave efficiency"),),
    ),
)
def waves(given: WavesArguments) -> Working:
    """Waves that a kernel's tiles take over the SMs, and what the last, partial wave wastes.

    ceil(tiles / slots) waves, of which tiles / slots are used. Fixes: another tile shape, splitting
    K over the idle SMs (stream-K), or tokens of a step that fill whole waves (the scheduler).
    """
    sms, tiles = _sms(given.gpu, given.sms), _tiles(given)
    slots = sms * given.blocks_per_sm
    count = ceil(tiles / slots)
    efficiency = tiles / (count * slots)
    work = Working(headline="waves", source="ceil(tiles / SMs); wave quantisation")
    work.put("waves", count, "waves", f"{tiles:,} tiles over {slots:,} slots", "count")
    work.put("efficiency", efficiency, "fraction", "of the waves' slots that are used")
    work.put("tiles", tiles, "tiles", "of the kernel", "count")
    tail = tiles - (count - 1) * slots
    work.put("tail_tiles", tail, "tiles", "in the last wave", "count")
    work.put("tiles_to_fill", count * slots - tiles, "tiles", "more would cost no time", "count")
    if given.tile_us is not None:
        work.put("time_us", count * given.tile_us, "us", "kernel", "estimate")
        even = tiles / slots * given.tile_us
        work.put("stream_k_us", even, "us", "if all SMs shared all work (stream-K)", "floor")
        work.put("lost_us", count * given.tile_us - even, "us", "idle in the tail", "estimate")
    work.formula = (
        f"ceil({tiles:,} / {slots:,}) = {count:,}; {tiles:,} / ({count:,} x {slots:,}) = "
        f"{plain(efficiency)}"
    )
    work.assume("tiles take equal time and start together; one kernel has the GPU to itself")
    if count > 1 and tail < slots / 4:
        work.warn(f"{counted(tail, 'tile')} in the last wave: almost a whole wave is wasted")
    if given.m is not None and given.n is not None:
        _say_shapes(work, given.m, given.n, slots)
    work.table = [
        {"tiles": t, "waves": ceil(t / slots), "efficiency": t / (ceil(t / slots) * slots)}
        for t in sorted({max(1, round(slots * part / 8)) for part in range(1, 33)} | {tiles})
    ]
    return work


def _sms(gpu: str | None, sms: int | None) -> int:
    if (gpu is None) == (sms is None):
        raise ToolError("sms", sms, "give either gpu or sms")
    return sms or find_gpu(gpu or "").spec.sms


def _tiles(given: WavesArguments) -> int:
    if given.tiles is not None:
        if given.m is not None or given.n is not None:
            raise ToolError("tiles", given.tiles, "give tiles, or m and n, not both")
        return given.tiles
    if given.m is None or given.n is None:
        raise ToolError("m" if given.m is None else "n", None, "is needed: give tiles, or m and n")
    return ceil(given.m / given.tile_m) * ceil(given.n / given.tile_n)


def _say_shapes(work: Working, m: int, n: int, slots: int) -> None:
    """The tile shape whose waves cover least area, which is what time goes by."""
    best, least = (0, 0), float("inf")
    for rows, columns in TILES:
        area = ceil(ceil(m / rows) * ceil(n / columns) / slots) * rows * columns
        if area < least:
            best, least = (rows, columns), area
    tiles = ceil(m / best[0]) * ceil(n / best[1])
    share = m * n / (least * slots)
    work.put(
        "best_tile_efficiency", share, "fraction", "useful share with the best tile", "ceiling"
    )
    work.assume(
        f"of the usual tiles {best[0]} x {best[1]} wastes least: {tiles:,} tiles, "
        f"{plain(share * 100)} % useful; small tiles reuse less"
    )


class SplitKvArguments(Arguments):
    """Arguments of split_kv."""

    blocks: int = Field(
        ge=1, le=10_000_000, description="Thread blocks without a split: batch x KV heads x Q tiles"
    )
    context: int = Field(ge=1, le=100_000_000, description="Tokens of keys and values")
    block_n: int = Field(default=128, ge=1, le=1024, description="Keys of a tile")
    gpu: str | None = Field(default=None, max_length=60, description="GPU by name, for its SMs")
    sms: int | None = Field(default=None, ge=1, le=100_000, description="SMs, instead of a GPU's")
    max_splits: int = Field(default=128, ge=1, le=256, description="Most splits")
    rows: int = Field(default=8, ge=1, le=1024, description="Query rows of a block (GQA group)")
    head_dim: int = Field(default=128, ge=1, le=1024, description="Width of a head")


@tool(
    group="gpu_kernel_calc",
    example={"blocks": 8, "context": 32768, "gpu": "H100"},
    drawing=Drawing(
        kind="line",
        title="Wave efficiency by number of splits",
        x="splits",
        x_label="splits of the keys",
        y_label="efficiency",
        series=(Series("efficiency", "efficiency"), Series("wanted", "85 % of the best")),
    ),
)
def split_kv(given: SplitKvArguments) -> Working:
    """Splits of the keys for a decode attention kernel, by FlashAttention's wave-efficiency rule.

    The fewest splits within 85 % of the best efficiency. FlashAttention-3 takes every count;
    FlashAttention-2 only counts that change the keys per split. Both are given.
    """
    sms = _sms(given.gpu, given.sms)
    tiles = ceil(given.context / given.block_n)
    most = min(given.max_splits, sms, tiles)
    rates = [_efficiency(given.blocks, splits, sms) for splits in range(1, most + 1)]
    every = _choose(given.blocks, sms, tiles, rates, [True] * most, least=5)
    changes = [s == 1 or ceil(tiles / s) != ceil(tiles / (s - 1)) for s in range(1, most + 1)]
    eligible = _choose(given.blocks, sms, tiles, rates, changes, least=1)
    work = Working(headline="splits", source="flash-attention: hopper/heuristics.h; FA2's rule")
    work.put("splits", every, "splits", "by waves alone (FlashAttention-3)", "count")
    work.put(
        "splits_eligible", eligible, "splits", "of eligible counts (FlashAttention-2)", "count"
    )
    work.put("efficiency", rates[every - 1], "fraction", f"of the waves at {every} splits")
    work.put("efficiency_unsplit", rates[0], "fraction", "without a split")
    count = ceil(given.blocks * every / sms)
    work.put("waves", count, "waves", f"{given.blocks * every:,} blocks on {sms} SMs", "count")
    work.put("tiles", tiles, "tiles", "of keys for each block", "count")
    partial = given.blocks * every * given.rows * (given.head_dim + 1) * 4 if every > 1 else 0
    work.put("partial_bytes", partial, "B", "partial outputs and log-sums (fp32), written once")
    work.formula = (
        f"{given.blocks:,} x {every} / {sms} = {plain(given.blocks * every / sms)} waves of "
        f"{count}: {plain(rates[every - 1])}"
    )
    work.assume(
        f"conventions differ: {every} by waves alone, {eligible} if a count must change the "
        "keys of each split"
        if every != eligible
        else "both conventions agree",
        "the merge of the partial outputs is exact; its time is not counted",
    )
    if given.blocks >= ENOUGH * sms:
        work.assume(f"{given.blocks:,} blocks already fill {sms} SMs: no split")
    best = max(rates)
    work.table = [
        {"splits": s, "efficiency": rate, "wanted": NEAR * best, "changes_keys": changes[s - 1]}
        for s, rate in enumerate(rates[:64], 1)
    ]
    return work


def _efficiency(blocks: int, splits: int, sms: int) -> float:
    full = blocks * splits / sms
    return full / ceil(full)


def _choose(
    blocks: int,
    sms: int,
    tiles: int,
    rates: Sequence[float],
    allowed: Sequence[bool],
    *,
    least: int,
) -> int:
    if blocks >= ENOUGH * sms or tiles < least:
        return 1
    best = max(rate for rate, may in zip(rates, allowed, strict=True) if may)
    return next(
        splits
        for splits, (rate, may) in enumerate(zip(rates, allowed, strict=True), 1)
        if may and rate >= NEAR * best
    )
