"""`attention_ref`: a small attention three ways, and what each common fault does to it."""

from math import inf, isinf
from random import Random
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.kernels.attention_math import Online, Partial, Row, dot, merge, whole
from tools.registry import tool
from tools.result import ToolError
from tools.trace import Lane, Recording, blank
from tools.working import Working, counted, plain

Fault = Literal["none", "top_left_mask", "wrong_kv_head", "no_rescale", "average_merge"]
MOST = 20_000
"""Multiply-adds of one pass."""


class AttentionRefArguments(Arguments):
    """Arguments of attention_ref."""

    queries: int = Field(default=2, ge=1, le=32, description="Query tokens of the chunk")
    keys: int = Field(
        default=9, ge=1, le=256, description="Tokens in the cache, the chunk included"
    )
    heads: int = Field(default=2, ge=1, le=16, description="Query heads")
    kv_heads: int = Field(default=1, ge=1, le=16, description="KV heads")
    dim: int = Field(default=4, ge=1, le=32, description="Width of a head")
    causal: bool = Field(default=True, description="A query sees itself and what came before it")
    window: int | None = Field(
        default=None, ge=1, le=256, description="Keys that a query sees, itself included"
    )
    block: int = Field(default=4, ge=1, le=256, description="Keys of a tile (online softmax)")
    splits: int = Field(default=3, ge=1, le=64, description="Parts of the keys, merged afterwards")
    scale: float = Field(
        default=1,
        ge=1e-9,
        le=1e4,
        description="Factor on random scores: large ones test the maximum",
    )
    fault: Fault = Field(default="none", description="A fault to put in, to see what it does")
    seed: int = Field(default=0, ge=0, le=2**32, description="Seed of the random inputs")


@tool(
    group="attention_ref",
    example={"queries": 2, "keys": 9, "heads": 2, "kv_heads": 1, "block": 4, "splits": 3},
    drawing=Drawing(
        kind="bars",
        title="Keys that each query sees",
        x="row",
        x_label="query and head",
        y_label="keys",
        series=(Series("keys_seen", "keys"),),
    ),
    marks={"held": "seen", "free": "masked"},
)
def attention_ref(given: AttentionRefArguments) -> Working:
    """Attention of a chunk at the end of a cache: whole, online by tiles, and split and merged.

    Query i of a chunk sits at position keys - queries + i; query head h reads KV head
    h // (heads / kv_heads). All three ways must agree to rounding; a fault shows by how much not.
    """
    _check(given)
    random = Random(given.seed)
    q = _normal(random, given.heads, given.queries, given.dim, given.scale)
    k = _normal(random, given.kv_heads, given.keys, given.dim, 1.0)
    v = _normal(random, given.kv_heads, given.keys, given.dim, 1.0)
    work = Working(headline="difference", source="online softmax (Milakov & Gimelshein); LSE merge")
    online_gap = split_gap = reference_gap = 0.0
    blank = 0
    for head in range(given.heads):
        kv = head // (given.heads // given.kv_heads)
        used = head % given.kv_heads if given.fault == "wrong_kv_head" else kv
        for query in range(given.queries):
            right, seen = _mask(given, query, "none"), _mask(given, query, given.fault)
            true = whole(q[head][query], k[kv], v[kv], right)
            blank += isinf(true.lse)
            tiles = _online(given, q[head][query], k[used], v[used], seen)
            parts = _split(given, q[head][query], k[used], v[used], seen)
            reference = whole(q[head][query], k[used], v[used], seen)
            online_gap = max(online_gap, _gap(tiles, true))
            split_gap = max(split_gap, _gap(parts, true))
            reference_gap = max(reference_gap, _gap(reference, true))
            work.table.append(_row(query, head, kv, true, right))
    work.put("difference", max(online_gap, split_gap), "value", "largest, against the reference")
    work.put("online_difference", online_gap, "value", f"by tiles of {given.block}")
    work.put("split_difference", split_gap, "value", f"by {counted(given.splits, 'split')}, merged")
    work.put("whole_difference", reference_gap, "value", "whole, with the fault if any")
    work.put("blank_rows", blank, "rows", "that see no key: output 0, log-sum -inf", "count")
    pairs = sum(row["keys_seen"] for row in work.table)
    work.put("pairs", pairs, "pairs", "query-key pairs computed", "count")
    work.formula = f"max |output - reference| = {plain(max(online_gap, split_gap))}"
    work.assume("float64; inputs are normal, from the seed", "scores are not scaled by 1/sqrt(dim)")
    if given.fault != "none":
        work.warn(f"fault {given.fault} is in: differences are its effect")
        if max(online_gap, split_gap) < 1e-9:
            work.warn("and these inputs do not show it: a test needs others")
    _draw(work, given)
    return work


def _check(given: AttentionRefArguments) -> None:
    if given.heads % given.kv_heads:
        raise ToolError("kv_heads", given.kv_heads, f"does not divide {given.heads} heads")
    if given.queries > given.keys:
        raise ToolError("queries", given.queries, f"the chunk is among the {given.keys} keys")
    if given.heads * given.queries * given.keys * given.dim > MOST:
        raise ToolError(
            "keys", given.keys, f"more than {MOST:,} multiply-adds: take a smaller case"
        )


def _normal(
    random: Random, heads: int, rows: int, dim: int, scale: float
) -> list[list[list[float]]]:
    return [
        [[random.gauss(0, scale) for _ in range(dim)] for _ in range(rows)] for _ in range(heads)
    ]


def _mask(given: AttentionRefArguments, query: int, fault: Fault) -> list[float]:
    """0 where the query sees the key, else -inf."""
    place = query if fault == "top_left_mask" else given.keys - given.queries + query
    first = max(0, place - given.window + 1) if given.window is not None else 0
    last = place if given.causal else given.keys - 1
    return [0.0 if first <= key <= last else -inf for key in range(given.keys)]


def _online(
    given: AttentionRefArguments,
    query: Row,
    keys: list[list[float]],
    values: list[list[float]],
    seen: Row,
) -> Partial:
    state = Online(given.dim, rescale=given.fault != "no_rescale")
    for start in range(0, given.keys, given.block):
        part = slice(start, start + given.block)
        scores = [dot(query, key) + m for key, m in zip(keys[part], seen[part], strict=True)]
        state.take(scores, values[part])
    return state.result()


def _split(
    given: AttentionRefArguments,
    query: Row,
    keys: list[list[float]],
    values: list[list[float]],
    seen: Row,
) -> Partial:
    """Even parts of the keys, the last ones shorter or empty."""
    size = -(-given.keys // given.splits)
    parts = []
    for number in range(given.splits):
        part = slice(number * size, (number + 1) * size)
        if keys[part]:
            parts.append(whole(query, keys[part], values[part], seen[part]))
        else:
            parts.append(Partial(-inf, [0.0] * given.dim))
    return merge(parts, average=given.fault == "average_merge")


def _gap(found: Partial, true: Partial) -> float:
    return max(abs(a - b) for a, b in zip(found.output, true.output, strict=True))


def _row(query: int, head: int, kv: int, true: Partial, seen: Row) -> dict[str, object]:
    visible = [key for key, mask in enumerate(seen) if mask == 0]
    return {
        "row": f"q{query} h{head}",
        "kv_head": kv,
        "keys_seen": len(visible),
        "first_key": visible[0] if visible else None,
        "last_key": visible[-1] if visible else None,
        "lse": None if isinf(true.lse) else true.lse,
    }


def _draw(work: Working, given: AttentionRefArguments) -> None:
    recording = Recording()
    lanes = []
    for query in range(given.queries):
        seen = _mask(given, query, given.fault)
        cells = [blank("held" if m == 0 else "free") for m in seen]
        lanes.append(Lane(label=f"query {query}", cells=tuple(cells)))
    where = f"keys 0 to {given.keys - 1}; tiles of {given.block}"
    recording.add("Which keys each query sees", where, lanes, keys=given.keys)
    work.show(recording)
