"""`prefix_boundary`: where two tokenized prompts part, and what a prefix cache can reuse of it."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Cell, Lane, Recording
from tools.working import Working, counted, plain


class BoundaryArguments(Arguments):
    """Arguments of prefix_boundary."""

    cached: list[int] = Field(
        min_length=1, max_length=20_000, description="Token numbers of the prompt that was cached"
    )
    prompt: list[int] = Field(
        min_length=1, max_length=20_000, description="Token numbers of the prompt that comes now"
    )
    block: int = Field(default=16, ge=1, le=1024, description="Tokens of a cache block")
    same_salt: bool = Field(
        default=True, description="Whether salt, adapter and images of both are the same"
    )
    hit_tokens: float | None = Field(
        default=None, ge=0, le=1e12, description="Increase of the cache's hit tokens for it"
    )


@tool(
    group="telemetry",
    example={
        "cached": [*range(1, 41), 900, 901, *range(41, 61)],
        "prompt": [*range(1, 41), 905, 901, *range(41, 61)],
        "block": 16,
        "hit_tokens": 32,
    },
    drawing=Drawing(
        kind="bars",
        title="Tokens alike in each block",
        x="block",
        x_label="block",
        y_label="tokens",
        series=(Series("alike", "alike from the start"), Series("rest", "not reusable")),
    ),
    marks={
        **MARKS,
        "free": "computed again",
        "cached": "alike, but its block is not whole",
        "held": "reused",
        "new": "first difference",
    },
)
def prefix_boundary(given: BoundaryArguments) -> Working:
    """First token at which two prompts differ, and the whole blocks before it that can be reused.

    Only full blocks from the start on count, and never the whole prompt: its last token is computed
    again. A counter that says less means eviction or another replica, not the prompt.
    """
    alike = next(
        (n for n, (a, b) in enumerate(zip(given.cached, given.prompt, strict=False)) if a != b),
        min(len(given.cached), len(given.prompt)),
    )
    usable = min(alike, len(given.prompt) - 1) if given.same_salt else 0
    reusable = usable // given.block * given.block
    work = Working(headline="reusable", source="hash chain over full blocks, as vLLM 0.31 keeps it")
    work.put("reusable", reusable, "tokens", "that the cache can give", "count")
    work.put("alike", alike, "tokens", "before the first difference", "count")
    work.put("again", len(given.prompt) - reusable, "tokens", "to prefill", "count")
    lost = alike - reusable
    work.put("lost", lost, "tokens", "alike, but not in a whole block", "count")
    share = reusable / len(given.prompt)
    work.put("share", share, "fraction", "of the prompt is reused at most")
    work.formula = (
        f"floor(min({alike:,}, {len(given.prompt):,} - 1) / {given.block}) x {given.block} = "
        f"{reusable:,} of {len(given.prompt):,} tokens"
    )
    work.assume("both prompts are tokenized as the engine does, template included")
    if not given.same_salt:
        work.warn("another salt, adapter or image: nothing is shared, however alike the tokens")
    _compare(work, given, reusable)
    work.table = _rows(given, reusable)
    _record(work, given, alike, reusable)
    return work


def _compare(work: Working, given: BoundaryArguments, reusable: int) -> None:
    if given.hit_tokens is None:
        return
    if given.hit_tokens > reusable:
        raise ToolError(
            "hit_tokens",
            given.hit_tokens,
            f"is more than the {reusable:,} that these prompts share",
        )
    missing = reusable - given.hit_tokens
    work.put("missing", missing, "tokens", "reusable by the prompts, and not hit", "count")
    if missing:
        work.warn("the prompts would share more: evicted, or sent to another replica")


def _rows(given: BoundaryArguments, reusable: int) -> list[dict[str, float]]:
    blocks = -(-len(given.prompt) // given.block)
    rows: list[dict[str, float]] = []
    for number in range(min(blocks, 100)):
        start = number * given.block
        size = min(given.block, len(given.prompt) - start)
        alike = size if start + given.block <= reusable else 0
        rows.append({"block": number, "alike": alike, "rest": size - alike})
    return rows


def _record(work: Working, given: BoundaryArguments, alike: int, reusable: int) -> None:
    """One step around the first difference."""
    recording = Recording()
    first = max(0, alike - 12) // given.block * given.block
    window = range(first, min(len(given.prompt), max(alike + 8, first + 24)))[:40]
    cells = [
        Cell(
            text=str(given.prompt[n]),
            mark="held"
            if n < reusable
            else "cached"
            if n < alike
            else "new"
            if n == alike
            else "free",
        )
        for n in window
    ]
    was = [Cell(text=str(given.cached[n]), mark="free") for n in window if n < len(given.cached)]
    lanes = [Lane(label="cached", cells=tuple(was)), Lane(label="prompt", cells=tuple(cells))]
    said = f"{counted(reusable, 'token')} reused; they part at {plain(alike)}"
    recording.add(f"tokens from {first:,}", said, lanes, reused=reusable)
    work.show(recording)
