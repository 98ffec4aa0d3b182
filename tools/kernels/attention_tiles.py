"""`attention_tiles`, `attention_backward`: tiles of a mask by kind; what recomputing P saves."""

from random import Random

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.kernels.attention_math import backward, dot, whole
from tools.precision import BYTES, GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.trace import Lane, Mark, Recording, blank
from tools.working import Working, plain

MOST_ROWS, DRAWN = 8192, 32


class AttentionTilesArguments(Arguments):
    """Arguments of attention_tiles."""

    queries: int = Field(ge=1, le=10_000_000, description="Query tokens, the last of the keys")
    keys: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Tokens of keys; default: as many as queries"
    )
    window: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Keys that a query sees, itself included"
    )
    block_q: int = Field(default=128, ge=1, le=4096, description="Query rows of a tile")
    block_k: int = Field(default=128, ge=1, le=4096, description="Keys of a tile")


@tool(
    group="attention_ref",
    example={"queries": 32768, "window": 4096},
    drawing=Drawing(
        kind="bars",
        title="Tiles by kind, with and without the window",
        x="mask",
        x_label="mask",
        y_label="tiles",
        series=(Series("full", "no masking"), Series("partial", "masked within")),
    ),
    marks={"held": "computed whole", "shared": "masked within", "free": "skipped"},
)
def attention_tiles(given: AttentionTilesArguments) -> Working:
    """Tiles of causal or windowed attention: skipped, computed whole, and masked within.

    Counted exactly, row of tiles by row. A window of an eighth of the keys is not an eighth of
    causal attention, which is half of everything; the tiles at both edges need masking.
    """
    keys = given.keys or given.queries
    if given.queries > keys:
        raise ToolError("queries", given.queries, f"are among the {keys:,} keys")
    if -(-given.queries // given.block_q) > MOST_ROWS:
        raise ToolError("block_q", given.block_q, f"more than {MOST_ROWS:,} rows of tiles")
    full, partial = _count(given, keys, given.window)
    whole_full, whole_partial = _count(given, keys, None)
    everything = -(-given.queries // given.block_q) * -(-keys // given.block_k)
    work = Working(headline="tiles", source="exact count; masks as in FlashAttention")
    work.put("tiles", full + partial, "tiles", "computed", "count")
    work.put("full_tiles", full, "tiles", "that need no masking", "count")
    work.put("partial_tiles", partial, "tiles", "that are masked within", "count")
    work.put("skipped_tiles", everything - full - partial, "tiles", "not computed", "count")
    pairs, causal = _pairs(given.queries, keys, given.window), _pairs(given.queries, keys, None)
    work.put("pairs", pairs, "pairs", "query-key pairs that are seen", "count")
    area = (full + partial) * given.block_q * given.block_k
    work.put("useful_share", pairs / area, "fraction", "of the computed pairs that are seen")
    work.formula = (
        f"{full:,} whole + {partial:,} masked = {full + partial:,} of {everything:,} tiles"
    )
    if given.window is not None:
        work.put("pair_ratio", causal / pairs, "x", "causal pairs over the window's")
        ratio = (whole_full + whole_partial) / (full + partial)
        work.put("tile_ratio", ratio, "x", "causal tiles over the window's: the speedup at best")
        work.put("window_share", min(1.0, given.window / keys), "fraction", "of the keys")
        work.formula += f"; causal {whole_full + whole_partial:,}: {plain(ratio)}x"
        work.assume(
            "beyond tiles: fewer tiles a row leave less to pipeline, and masking costs more"
        )
    work.assume("causal: query i of the chunk sees keys up to keys - queries + i")
    work.table = [{"mask": "causal", "full": whole_full, "partial": whole_partial}]
    if given.window is not None:
        row = {"mask": f"window {given.window:,}", "full": full, "partial": partial}
        work.table.append(row)
    _draw(work, given, keys)
    return work


def _bounds(given: AttentionTilesArguments, keys: int, row: int) -> tuple[int, int]:
    """Positions of the first and last query of a row of tiles, within the keys."""
    start = keys - given.queries
    return start + row * given.block_q, start + min((row + 1) * given.block_q, given.queries) - 1


def _row(
    given: AttentionTilesArguments, keys: int, row: int, window: int | None
) -> tuple[int, int, int, int]:
    """First and last tile computed, and first and last that needs no masking."""
    top, bottom = _bounds(given, keys, row)
    size = given.block_k
    low = max(0, top - window + 1) if window is not None else 0
    every = max(0, bottom - window + 1) if window is not None else 0
    return low // size, bottom // size, -(-every // size), (top + 1) // size - 1


def _count(given: AttentionTilesArguments, keys: int, window: int | None) -> tuple[int, int]:
    full = total = 0
    for row in range(-(-given.queries // given.block_q)):
        first, last, clear_first, clear_last = _row(given, keys, row, window)
        total += last - first + 1
        full += max(0, clear_last - max(first, clear_first) + 1)
    return full, total - full


def _pairs(queries: int, keys: int, window: int | None) -> int:
    def seen(position: int) -> int:
        """Pairs of all positions before this one."""
        if window is None or position <= window:
            return position * (position + 1) // 2
        return window * (window + 1) // 2 + (position - window) * window

    return seen(keys) - seen(keys - queries)


def _draw(work: Working, given: AttentionTilesArguments, keys: int) -> None:
    rows, columns = -(-given.queries // given.block_q), -(-keys // given.block_k)
    if rows > DRAWN or columns > DRAWN:
        return
    lanes = []
    for row in range(rows):
        first, last, clear_first, clear_last = _row(given, keys, row, given.window)
        marks: list[Mark] = [
            "free"
            if not first <= tile <= last
            else "held"
            if clear_first <= tile <= clear_last
            else "shared"
            for tile in range(columns)
        ]
        cells = tuple(blank(mark) for mark in marks)
        lanes.append(Lane(label=f"queries {row}", cells=cells))
    recording = Recording()
    said = "Rows are query tiles, columns key tiles; the darkest are masked within."
    recording.add("Tiles of the mask", said, lanes)
    work.show(recording)


class AttentionBackwardArguments(Arguments):
    """Arguments of attention_backward."""

    tokens: int = Field(ge=1, le=10_000_000, description="Tokens of the sequence")
    heads: int = Field(default=64, ge=1, le=10_000, description="Query heads x sequences")
    head_dim: int = Field(default=128, ge=1, le=1024, description="Width of a head")
    dtype: Dtype = Field(default="bf16", description="Format in which the matrix would be kept")
    seed: int = Field(default=0, ge=0, le=2**32, description="Seed of the small check")


@tool(
    group="attention_ref",
    example={"tokens": 8192},
    drawing=Drawing(
        kind="line",
        title="Kept for backward, per layer",
        x="tokens",
        x_label="tokens",
        y_label="GB",
        series=(Series("matrix_GB", "the matrix P"), Series("lse_GB", "one log-sum a row")),
        log_x=True,
        log_y=True,
    ),
)
def attention_backward(given: AttentionBackwardArguments) -> Working:
    """What recomputing P in backward saves and costs, with the gradient checked on a small case.

    One log-sum a row makes the recomputation exact. D = rowsum(dO x O) stands for rowsum(P x dP),
    so that dS = P x (dP - D) needs no N-squared term beside P.
    """
    n, h, d = given.tokens, given.heads, given.head_dim
    work = Working(headline="matrix_GB", source="FlashAttention (Dao et al. 2022), backward pass")

    def kept(tokens: int) -> tuple[float, float]:
        return h * tokens * tokens * BYTES[given.dtype] / GB, h * tokens * 4 / GB

    matrix, sums = kept(n)
    work.put("matrix_GB", matrix, "GB/layer", "to keep P of all heads")
    work.put("lse_GB", sums, "GB/layer", "to keep one fp32 log-sum a row")
    work.put("saving", matrix / sums, "x", "P over the log-sums")
    forward = 4.0 * n * n * d * h
    work.put("forward_FLOP", forward, "FLOP/layer", "both products, no mask")
    work.put("backward_FLOP", 2.5 * forward, "FLOP/layer", "five products, one recomputed")
    work.put("extra_share", 3.5 / 3 - 1, "fraction", "more FLOPs, forward and backward")
    gap, identity = _checked(given.seed)
    work.put("gradient_gap", gap, "value", "dQ against central differences, small case")
    work.put("identity_gap", identity, "value", "rowsum(dO x O) against rowsum(P x dP)")
    work.formula = (
        f"{h} x {n:,}^2 x {BYTES[given.dtype]:g} B = {plain(matrix)} GB; {h} x {n:,} x 4 B = "
        f"{plain(sums)} GB"
    )
    work.assume("recomputed: S = QK; then dV, dP, dQ, dK: five products against forward's two")
    work.table = [
        {"tokens": t, "matrix_GB": kept(t)[0], "lse_GB": kept(t)[1]}
        for t in sorted({*(1 << p for p in range(10, 18)), n})
    ]
    return work


def _checked(seed: int) -> tuple[float, float]:
    """Largest error of dQ against central differences, and of the identity, on a 2 x 3 x 2 case."""
    random, step = Random(seed), 1e-5

    def rows(number: int) -> list[list[float]]:
        return [[random.gauss(0, 1) for _ in range(2)] for _ in range(number)]

    q, k, v, up = rows(2), rows(3), rows(3), rows(2)
    found = backward(q, k, v, up)

    def loss(query: list[float], row: int) -> float:
        return dot(up[row], whole(query, k, v, [0.0] * 3).output)

    gap = 0.0
    for row, query in enumerate(q):
        for axis in range(2):
            ends = [[x + s * (i == axis) for i, x in enumerate(query)] for s in (step, -step)]
            slope = (loss(ends[0], row) - loss(ends[1], row)) / (2 * step)
            gap = max(gap, abs(slope - found.query[row][axis]))
    return gap, found.identity_gap
