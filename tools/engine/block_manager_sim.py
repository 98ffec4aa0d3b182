"""`block_manager_sim`: block tables, prefix hits, eviction order, fork and copy-on-write."""

from itertools import islice
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.engine.attention_groups import Group
from tools.engine.block_run import VERBS, Done, PagedRun, PaperRun
from tools.engine.paged_cache import PagedCache
from tools.engine.paper_blocks import PaperBlocks
from tools.engine.script import read_script
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MOST_LANES, Cell, Lane, Mark, Recording
from tools.working import Working

DRAWN, PER_LANE, QUEUE = 256, 32, 24
"""Blocks of a pool that is drawn, blocks a lane, and how much of the free order is shown."""
EXAMPLE = (
    "admit a 1000-1039,1,2,3; admit b 1000-1039,7,8; append b 9; free a; free b; "
    "admit c 1000-1039,5"
)


class BlockArguments(Arguments):
    """Arguments of block_manager_sim."""

    ops: str = Field(
        max_length=40_000,
        description="Operations, one a line or separated by ';': 'admit NAME TOKENS [salt=S] "
        "[chunk=N]', 'append NAME TOKENS', 'free NAME', 'find TOKENS [salt=S]', and with "
        "mode=paper 'fork NAME CHILD'. "
        "TOKENS is like 1000-1039,1,2",
    )
    blocks: int = Field(
        default=65,
        ge=2,
        le=100_000,
        description="Blocks of the pool; in mode=vllm block 0 is the null block and not usable",
    )
    block_size: int = Field(default=16, ge=1, le=1024, description="Tokens per block")
    mode: Literal["vllm", "paper"] = Field(
        default="vllm",
        description="vllm: the V1 block manager; paper: fork and copy-on-write as in the paper",
    )
    groups: str = Field(
        default="full",
        max_length=200,
        description="Layer groups in mode=vllm, such as 'full' or 'full,sliding:32,chunked:64' "
        "(window or chunk in tokens)",
    )
    prefix_caching: bool = Field(default=True, description="Whether full blocks can be hit")
    reserve_full: bool = Field(
        default=True,
        description="Admit only where the whole prompt fits (scheduler_reserve_full_isl)",
    )


MARKS: dict[Mark, str] = {
    "free": "free",
    "cached": "free, prefix still hits",
    "held": "one reference",
    "shared": "several references",
    "new": "taken in this step",
    "null": "null block",
}


@tool(
    group="block_manager_sim",
    example={"ops": EXAMPLE, "blocks": 17},
    drawing=Drawing(
        kind="bars",
        title="Blocks after each operation",
        x="step",
        x_label="operation",
        y_label="blocks",
        series=(Series("used", "in use"), Series("cached", "free, prefix still hits")),
    ),
    marks=MARKS,
)
def block_manager_sim(given: BlockArguments) -> Working:
    """Step through a paged KV cache: block tables, prefix hits, evictions, copies.

    mode=vllm follows vLLM 0.31 V1: only full blocks hit, at most all tokens but one; blocks
    without a hash are reused first, hashed ones last. mode=paper is a teaching model of the vLLM
    paper with fork and copy-on-write, which vLLM V1 does not have.
    """
    run = _run(given)
    recording, done = Recording(), []
    work = Working(headline="hit_tokens", source=_source(given.mode))
    for number, operation in enumerate(read_script(given.ops, VERBS), 1):
        step = run.run(operation)
        done.append(step)
        if recording.open:
            work.table.append(_row(number, step, run, given))
            said = _said(step)
            numbers = {"free": float(run.pool.free), "used": float(run.pool.used)}
            recording.add(f"{number}. {operation.text[:60]}", said, _lanes(run, step), **numbers)
    _put(work, run, done, given)
    work.show(recording)
    return work


def _source(mode: str) -> str:
    if mode == "vllm":
        return "vLLM 0.31 V1 block manager (kv_cache_manager, block_pool), run on CPU"
    return "Kwon et al., PagedAttention (SOSP 2023); vLLM prefix-caching design document"


def _run(given: BlockArguments) -> PagedRun | PaperRun:
    if given.mode == "paper":
        if given.groups != "full" or not given.prefix_caching:
            field = "groups" if given.groups != "full" else "prefix_caching"
            raise ToolError(field, getattr(given, field), "is for mode=vllm; leave it out")
        return PaperRun(PaperBlocks(given.blocks, given.block_size))
    groups = tuple(_group(part.strip()) for part in given.groups.split(","))
    if len(groups) > 8:
        raise ToolError("groups", given.groups, "at most 8 groups")
    cache = PagedCache(given.blocks - 1, given.block_size, groups, given.prefix_caching)
    return PagedRun(cache, given.reserve_full)


def _group(text: str) -> Group:
    kind, _, span = text.partition(":")
    if kind == "full" and not span:
        return Group()
    if kind in ("sliding", "chunked") and span.isdecimal() and 2 <= len(span) + 1 <= 8:
        tokens = int(span)
        if tokens >= 2:
            return Group("sliding" if kind == "sliding" else "chunked", tokens)
    raise ToolError("groups", text[:40], "write full, sliding:TOKENS or chunked:TOKENS, e.g. 128")


def _row(
    number: int, step: Done, run: PagedRun | PaperRun, given: BlockArguments
) -> dict[str, object]:
    tables = run.tables()
    name = step.operation.words[0] if step.operation.words else ""
    return {
        "step": number,
        "operation": step.operation.text[:80],
        "hit": step.hit,
        "new": list(step.new[:32]),
        "copied": step.copied,
        "refused": step.refused,
        "table": [table[:64] for table in tables.get(name, [])],
        "free": run.pool.free,
        "used": run.pool.used,
        "null": int(given.mode == "vllm"),
        "cached": _cached(run),
        "free_order": run.pool.free_order()[:32],
    }


def _cached(run: PagedRun | PaperRun) -> int:
    """Free blocks whose prefix can still be hit."""
    pool = run.pool
    return sum(1 for block in pool.free_order() if pool.key(block))


def _put(work: Working, run: PagedRun | PaperRun, done: list[Done], given: BlockArguments) -> None:
    pool = run.pool
    hit, asked = sum(step.hit for step in done), sum(step.asked for step in done)
    null = int(given.mode == "vllm")
    work.put("hit_tokens", hit, "tokens", "prompt tokens found in the cache", "count")
    work.put("asked_tokens", asked, "tokens", "prompt tokens admitted", "count")
    work.put("hit_rate", hit / asked if asked else 0.0, "fraction", "hit over admitted tokens")
    work.put("free_blocks", pool.free, "blocks", "free at the end", "count")
    work.put("used_blocks", pool.used, "blocks", "in use at the end", "count")
    work.put("null_blocks", null, "blocks", "the null block, never allocated", "count")
    work.put("usage", pool.used / pool.blocks, "fraction", "in use over usable blocks")
    work.put("prefixes", pool.keys, "prefixes", "distinct full-block prefixes that hit", "count")
    work.put("evictions", pool.evictions, "blocks", "cached prefixes given up", "count")
    work.put("copies", sum(s.copied for s in done), "blocks", "copied on write", "count")
    work.put("refused", sum(bool(s.refused) for s in done), "operations", "out of blocks", "count")
    work.formula = (
        f"free {pool.free:,} + used {pool.used:,} + null {null} = {given.blocks:,} blocks; "
        f"hits {hit:,} of {asked:,} tokens, in full blocks of {given.block_size}"
    )
    if given.mode == "vllm":
        work.assume(
            "vLLM V1: a hit is at most all tokens but one, so an exact repeat computes a block",
            "freed blocks without a hash are reused first, hashed ones last (LRU); no merging of "
            "equal blocks; there is no fork or copy-on-write",
            "content is compared exactly; vLLM compares a sha256 of parent, tokens and salt",
        )
    else:
        work.assume(
            "a paper model: fork and copy-on-write as the vLLM paper describes; vLLM V1 has "
            "neither and lets beams hit the prefix cache instead",
            "an exact repeat hits all its tokens and freed blocks are reused in order of return, "
            "unlike vLLM V1",
        )


# --- the picture ---


def _said(step: Done) -> str:
    if step.refused:
        return f"Refused: {step.refused}."
    parts = [f"hit {step.hit} tokens"] if step.asked else []
    parts += [f"took {', '.join(map(str, step.new[:12]))}"] if step.new else []
    parts += [f"copied {step.copied} on write"] if step.copied else []
    return f"{'; '.join(parts) or 'no new block'}.".capitalize()


def _lanes(run: PagedRun | PaperRun, step: Done) -> list[Lane]:
    pool, new = run.pool, set(step.new)
    lanes = []
    if pool.blocks <= DRAWN:
        for first in range(1, pool.blocks + 1, PER_LANE):
            blocks = range(first, min(first + PER_LANE, pool.blocks + 1))
            cells = tuple(_cell(run, block, new) for block in blocks)
            lanes.append(Lane(label=f"pool {first}-{blocks[-1]}", cells=cells))
    queue = tuple(_cell(run, block, new) for block in pool.free_order()[:QUEUE])
    lanes.append(Lane(label="reused next", cells=queue))
    for name, tables in islice(run.tables().items(), MOST_LANES):
        for index, table in enumerate(tables):
            label = name if len(tables) == 1 else f"{name} group {index + 1}"
            cells = tuple(_cell(run, block, new) for block in table[:PER_LANE])
            lanes.append(Lane(label=label, cells=cells))
    return lanes


def _cell(run: PagedRun | PaperRun, block: int, new: set[int]) -> Cell:
    refs = run.pool.refs[block]
    mark: Mark
    if block == 0:
        mark = "null"
    elif refs == 0:
        mark = "cached" if run.pool.key(block) else "free"
    else:
        mark = "new" if block in new else "shared" if refs > 1 else "held"
    return Cell(text=str(block), mark=mark)
