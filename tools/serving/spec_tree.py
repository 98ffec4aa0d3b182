"""`spec_tree`: tokens of a draft tree, its mask, and what it costs beside a chain."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from tools.arguments import Arguments, Chance
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.serving.acceptance import best_tree, depths, expected_tokens, paths
from tools.trace import Lane, Recording, blank
from tools.working import Working, counted, plain

MOST = 256
"""Nodes of a tree."""


class SpecTreeArguments(Arguments):
    """Arguments of spec_tree."""

    ranks: list[Chance] = Field(
        min_length=1,
        max_length=16,
        description="Chance that the drafter's 1st, 2nd, ... candidate is the next token, each "
        "0 to 1, together at most 1, e.g. [0.6, 0.2, 0.1]",
    )
    branches: list[Annotated[int, Field(ge=1, le=MOST)]] | None = Field(
        default=None,
        min_length=1,
        max_length=16,
        description="Children of each node by depth, e.g. [3, 2, 1]",
    )
    parents: list[Annotated[int, Field(ge=-1, le=MOST)]] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST,
        description="Instead of branches: each node's parent, -1 for the root, parents first",
    )
    nodes: int | None = Field(
        default=None, ge=1, le=MOST, description="Instead of both: the best tree of so many nodes"
    )
    chain: int = Field(default=5, ge=1, le=64, description="Tokens of the chain to compare with")
    draft_cost: float = Field(
        default=0, ge=0, le=10, description="Time of one draft pass (a depth) in target steps"
    )
    cost_per_token: float = Field(
        default=0, ge=0, le=1, description="Added time per verified token, in target steps"
    )


@tool(
    group="spec_decode",
    example={"ranks": [0.6, 0.2, 0.1], "branches": [3, 1, 1], "chain": 5, "draft_cost": 0.05},
    drawing=Drawing(
        kind="bars",
        title="Chance that each node of the tree is accepted",
        x="node",
        x_label="node, in the order of the mask",
        y_label="probability",
        series=(Series("probability", "accepted"),),
    ),
    marks={"held": "seen", "free": "not seen"},
)
def spec_tree(given: SpecTreeArguments) -> Working:
    """Expected tokens of a draft tree in one verification, its mask, and a chain beside it.

    A node sees its ancestors, itself and the whole context. One path at most is accepted; the
    bonus token counts. Node chances are products of the ranks' chances along the path.
    """
    parents = _parents(given)
    chances, deep = paths(parents, given.ranks), depths(parents)
    nodes, tokens = len(parents), 1 + sum(chances)
    chain = expected_tokens([given.ranks[0]] * given.chain)
    work = Working(headline="expected_tokens", source="SpecInfer and Medusa: tree attention")
    work.put("expected_tokens", tokens, "tokens/step", "of the tree, with the bonus token")
    work.put("chain_tokens", chain, "tokens/step", f"of a chain of {given.chain}")
    work.put("nodes", nodes, "tokens", "drafts verified in one pass", "count")
    work.put("depth", max(deep), "tokens", "longest path, which is the number of drafts", "count")
    leaves = nodes - len({p for p in parents if p >= 0})
    work.put("leaves", leaves, "paths", "candidate continuations", "count")
    seen = sum(deep)
    work.put(
        "mask_entries", seen, "entries", f"true entries of the {nodes} x {nodes} mask", "count"
    )
    work.put("mask_share", seen / nodes**2, "fraction", "of the mask that is true")
    work.put("dropped_slots", nodes - tokens + 1, "slots/step", "KV slots written and dropped")
    _put_costs(work, given, (tokens, nodes, max(deep)), chain)
    best = 1 + sum(paths(best_tree(nodes, given.ranks), given.ranks))
    work.put("best_tokens", best, "tokens/step", f"best tree of {nodes} nodes")
    sums = " + ".join(plain(p) for p in chances[:8]) + (" + ..." if nodes > 8 else "")
    work.formula = f"1 + {sums} = {plain(tokens)} tokens/step; chain {plain(chain)}"
    work.assume("a candidate's chance depends on its rank only, not on the depth or the path")
    if best > tokens * 1.02:
        work.warn(f"{counted(nodes, 'node')} placed otherwise would yield {plain(best)}")
    work.table = _rows(parents, chances, deep)
    _draw(work)
    return work


def _parents(given: SpecTreeArguments) -> list[int]:
    _check_ranks(given.ranks)
    if sum(x is not None for x in (given.branches, given.parents, given.nodes)) != 1:
        raise ToolError("branches", given.branches, "give one of branches, parents and nodes")
    if given.nodes is not None:
        return best_tree(given.nodes, given.ranks)
    found = given.parents if given.parents is not None else _grow(given.branches or [])
    for index, parent in enumerate(found):
        if not -1 <= parent < index:
            raise ToolError("parents", parent, f"node {index} must come after its parent (or -1)")
        if found.count(parent) > len(given.ranks):
            raise ToolError(
                "ranks", given.ranks, f"{found.count(parent)} children need as many chances"
            )
    return found


def _check_ranks(ranks: Sequence[float]) -> None:
    if sum(ranks) > 1 + 1e-9:
        raise ToolError("ranks", list(ranks), "are chances that exclude each other: sum at most 1")


def _grow(branches: Sequence[int]) -> list[int]:
    parents: list[int] = []
    level = [-1]
    for width in branches:
        if len(level) * width + len(parents) > MOST:
            raise ToolError("branches", list(branches), f"make more than {MOST} nodes")
        start = len(parents)
        parents += [node for node in level for _ in range(width)]
        level = list(range(start, len(parents)))
    return parents


def _put_costs(
    work: Working, given: SpecTreeArguments, tree: tuple[float, int, int], chain: float
) -> None:
    tokens, nodes, depth = tree
    draft = given.draft_cost
    tree_cost = 1 + depth * draft + nodes * given.cost_per_token
    chain_cost = 1 + given.chain * (draft + given.cost_per_token)
    work.put("speedup", tokens / tree_cost, "x", "of the tree", "estimate")
    work.put("chain_speedup", chain / chain_cost, "x", "of the chain", "estimate")
    gain = tokens * (1 + given.chain * draft) - chain * (1 + depth * draft)
    loss = chain * nodes - tokens * given.chain
    if gain * loss > 0:
        work.put(
            "flip_cost_per_token",
            gain / loss,
            "target steps",
            "cost per verified token at which tree and chain are equally fast",
        )


def _draw(work: Working) -> None:
    """The mask: a row a node, a column a node that it may see."""
    lanes = [
        Lane(
            label=f"node {row['node']}",
            cells=tuple(blank("held" if m == "1" else "free") for m in row["mask"]),
        )
        for row in work.table[:40]
    ]
    recording = Recording()
    recording.add("Tree mask", "Each node sees its ancestors, itself and all the context.", lanes)
    work.show(recording)


def _rows(
    parents: Sequence[int], chances: Sequence[float], deep: Sequence[int]
) -> list[dict[str, object]]:
    masks: list[int] = []
    for index, parent in enumerate(parents):
        masks.append((masks[parent] if parent >= 0 else 0) | 1 << index)
    return [
        {
            "node": index,
            "parent": parent,
            "depth": deep[index],
            "probability": chances[index],
            "mask": "".join("1" if masks[index] >> j & 1 else "." for j in range(len(parents))),
        }
        for index, parent in enumerate(parents)
    ]
