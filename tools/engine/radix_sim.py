"""`radix_sim`: a radix tree of prefixes with hits, splits, locks and evictions, step by step."""

from itertools import islice

from pydantic import Field

from tools.arguments import Arguments
from tools.engine.radix_run import VERBS, Done, RadixRun
from tools.engine.radix_tree import Node
from tools.engine.script import read_script
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.trace import MOST_LANES, Cell, Lane, Mark, Recording
from tools.working import Working

MARKS: dict[Mark, str] = {
    "held": "locked by one request",
    "shared": "locked by several",
    "cached": "evictable",
    "lost": "evicted in this step",
    "new": "a request's own",
}


class RadixArguments(Arguments):
    """Arguments of radix_sim."""

    ops: str = Field(
        max_length=40_000,
        description="Operations, one a line or separated by ';': 'admit NAME TOKENS', "
        "'append NAME TOKENS', 'finish NAME', 'abort NAME', 'match TOKENS', 'evict COUNT'. "
        "TOKENS is like 1000-1039,1,2",
    )
    capacity: int = Field(default=200, ge=1, le=200_000, description="Token slots of the KV pool")
    page_size: int = Field(
        default=1, ge=1, le=1024, description="Tokens per page; only whole pages are shared"
    )


@tool(
    group="radix_sim",
    example={
        "ops": "admit a 1-20,101-110; admit b 1-20,201-210; finish a; finish b; "
        "admit c 1-20,301-340",
        "capacity": 70,
    },
    drawing=Drawing(
        kind="bars",
        title="Token slots after each operation",
        x="step",
        x_label="operation",
        y_label="token slots",
        series=(
            Series("protected", "locked"),
            Series("evictable", "evictable"),
            Series("own", "of requests"),
        ),
    ),
    marks=MARKS,
)
def radix_sim(given: RadixArguments) -> Working:
    """Step through SGLang's radix cache: a prefix tree whose edges split where prompts part.

    A running request locks its path; eviction takes the least recently used unlocked leaf, then
    a parent that became a leaf. A prompt matches at most all its tokens but one.
    """
    run, recording, done = RadixRun(given.capacity, given.page_size), Recording(), list[Done]()
    work = Working(headline="hit_tokens", source="SGLang radix cache (arXiv:2312.07104)")
    for number, operation in enumerate(read_script(given.ops, VERBS), 1):
        step = run.run(operation)
        done.append(step)
        if recording.open:
            counts = _counts(run)
            work.table.append(
                {"step": number, "operation": operation.text[:80], "hit": step.hit}
                | {"splits": step.splits, "refused": step.refused, "evicted": _tokens(step.gone)}
                | counts
            )
            title = f"{number}. {operation.text[:60]}"
            recording.add(title, _said(step), _lanes(run, step), **counts)
    _put(work, run, done)
    work.formula = (
        f"locked {run.tree.protected:,} + evictable {run.tree.evictable:,} + of requests "
        f"{run.own:,} + free {len(run.free):,} = {run.capacity:,} slots"
    )
    work.assume(
        "a prompt enters the tree when it is admitted, its output when the request finishes, in "
        f"whole pages of {given.page_size}; eviction is by last use (LRU)",
        "an abort keeps the prompt in the tree; no host tier, no other eviction policy",
    )
    work.show(recording)
    return work


def _tokens(nodes: list[Node]) -> int:
    return sum(len(node.key) for node in nodes)


def _counts(run: RadixRun) -> dict[str, float]:
    return {
        "protected": run.tree.protected,
        "evictable": run.tree.evictable,
        "own": run.own,
        "free": len(run.free),
    }


def _put(work: Working, run: RadixRun, done: list[Done]) -> None:
    tree = run.tree
    hit, asked = sum(s.hit for s in done if s.asked), sum(s.asked for s in done)
    work.put("hit_tokens", hit, "tokens", "prompt tokens found in the tree", "count")
    work.put("asked_tokens", asked, "tokens", "prompt tokens admitted", "count")
    work.put("hit_rate", hit / asked if asked else 0.0, "fraction", "hit over admitted tokens")
    work.put("protected", tree.protected, "tokens", "locked by running requests", "count")
    work.put("evictable", tree.evictable, "tokens", "in the tree, not locked", "count")
    work.put("own", run.own, "tokens", "held by requests outside the tree", "count")
    work.put("free", len(run.free), "tokens", "free slots", "count")
    work.put("nodes", sum(1 for _ in tree), "nodes", "in the tree", "count")
    work.put("splits", tree.splits, "splits", "edges split", "count")
    work.put("evicted_tokens", tree.evicted, "tokens", "evicted", "count")
    work.put("evictions", sum(len(s.gone) for s in done), "nodes", "evicted", "count")
    refused = sum(bool(s.refused) for s in done)
    work.put("refused", refused, "operations", "for want of slots", "count")


def _said(step: Done) -> str:
    if step.refused:
        return f"Refused: {step.refused}."
    parts = [f"hit {step.hit} tokens"] if step.asked or step.operation.verb == "match" else []
    parts += [f"split {step.splits} edges"] if step.splits else []
    parts += [f"evicted {_tokens(step.gone)} tokens in {len(step.gone)} nodes"] if step.gone else []
    return f"{'; '.join(parts) or 'done'}.".capitalize()


def _lanes(run: RadixRun, step: Done) -> list[Lane]:
    lanes = [
        Lane(label=f"node {node.number}", cells=(_cell(node),), indent=depth)
        for node, depth in islice(run.tree, MOST_LANES)
    ]
    lanes += [
        Lane(label=f"node {node.number}", cells=(_edge(node, "lost"),)) for node in step.gone[:8]
    ]
    for name, request in islice(run.requests.items(), MOST_LANES):
        cells = (Cell(text=f"{len(request.own)} own", mark="new", width=len(request.own)),)
        lanes.append(Lane(label=name, cells=cells if request.own else ()))
    return lanes


def _cell(node: Node) -> Cell:
    return _edge(node, "shared" if node.locks > 1 else "held" if node.locks else "cached")


def _edge(node: Node, mark: Mark) -> Cell:
    first, last = node.key[0], node.key[-1]
    text = str(first) if len(node.key) == 1 else f"{first}…{last}"
    return Cell(text=f"{text} ({len(node.key)})", mark=mark, width=len(node.key))
