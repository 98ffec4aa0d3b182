"""`static_vs_continuous`: slots held to the longest of a group against slots refilled at once."""

from dataclasses import dataclass
from heapq import heapify, heapreplace

from pydantic import Field

from tools.arguments import Arguments
from tools.engine.order_statistics import Shape, draw_lengths, expected_longest
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import Cell, Lane, Mark, Recording
from tools.working import Working, plain

MARKS: dict[Mark, str] = {
    "held": "an answer's tokens",
    "new": "token of this iteration",
    "lost": "slot held, nothing to do",
    "free": "slot empty",
}
DRAWN = 16
"""Slots that a step shows."""


class LengthsArguments(Arguments):
    """Arguments of static_vs_continuous."""

    lengths: str | None = Field(
        default=None,
        max_length=20_000,
        description="Output lengths in tokens, in order of arrival, such as 2,8,2,2",
    )
    slots: int = Field(default=4, ge=1, le=4096, description="Sequences that run at once")
    shape: Shape = Field(default="geometric", description="Distribution of drawn lengths")
    mean: float = Field(default=200, ge=1, le=5000, description="Mean drawn length in tokens")
    spread: float = Field(
        default=1.0, ge=0, le=4, description="Coefficient of variation, for lognormal"
    )
    count: int = Field(default=1024, ge=1, le=20_000, description="Answers to draw")
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of the drawn lengths")


@dataclass(frozen=True)
class Placed:
    """An answer in its slot, from `start` to `end` in iterations."""

    index: int
    slot: int
    start: int
    end: int


@tool(
    group="batching_curve",
    example={"lengths": "2,8,2,2,2,2,5,2", "slots": 4},
    drawing=Drawing(
        kind="bars",
        title="Iterations for the same answers",
        x="batching",
        x_label="batching",
        y_label="slot-iterations",
        series=(Series("useful", "tokens of answers"), Series("idle", "slots without work")),
    ),
    marks=MARKS,
)
def static_vs_continuous(given: LengthsArguments) -> Working:
    """Iterations with static and with continuous batching for the same output lengths.

    Static takes groups in order and runs each to its longest; continuous gives a freed slot to the
    next answer. Drawn lengths come with the expected longest of a group.
    """
    lengths = _lengths(given)
    grouped, refilled = _static(lengths, given.slots), _continuous(lengths, given.slots)
    static, continuous = (max(p.end for p in each) for each in (grouped, refilled))
    work = Working(headline="saved", source="order statistics; iteration-level scheduling (Orca)")
    tokens = sum(lengths)
    work.put("saved", static - continuous, "iterations", "static less continuous", "count")
    work.put("static", static, "iterations", "each group to its longest", "count")
    work.put("continuous", continuous, "iterations", "a freed slot is refilled at once", "count")
    work.put("speedup", static / continuous, "x", "static over continuous")
    for name, iterations in (("static", static), ("continuous", continuous)):
        share = tokens / (iterations * given.slots)
        work.put(f"{name}_use", share, "fraction", f"slot-iterations with a token, {name}")
        idle = iterations * given.slots - tokens
        work.table.append(
            {"batching": name, "useful": tokens, "idle": idle, "iterations": iterations}
        )
    work.put("tokens", tokens, "tokens", "output tokens in all", "count")
    if given.lengths is None:
        _put_expected(work, given, lengths)
    work.formula = (
        f"sum of each {given.slots}'s longest = {static:,} iterations against {continuous:,}; "
        f"{tokens:,} tokens"
    )
    work.assume(
        "one token per slot and iteration, all iterations alike; prompts are free; all answers "
        "wait from the start, in this order"
    )
    work.show(_record(grouped, refilled, given.slots))
    return work


def _lengths(given: LengthsArguments) -> list[int]:
    if given.lengths is None:
        return draw_lengths(given.shape, given.mean, given.spread, given.count, given.seed)
    parts = [part.strip() for part in given.lengths.split(",")]
    for part in parts:
        if not part.isdecimal() or len(part) > 6 or int(part) < 1:
            raise ToolError("lengths", part[:20], "write whole numbers from 1, such as 2,8,2,5")
    return [int(part) for part in parts]


def _put_expected(work: Working, given: LengthsArguments, lengths: list[int]) -> None:
    longest = expected_longest(given.shape, given.mean, given.spread, given.slots)
    mean = expected_longest(given.shape, given.mean, given.spread, 1)
    of = f"longest of {given.slots:,}"
    work.put("expected_longest", longest, "tokens", f"mean of the {of}, by formula")
    work.put("expected_speedup", longest / mean, "x", f"expected {of} over the mean length")
    work.put("mean_length", sum(lengths) / len(lengths), "tokens", "of the drawn answers")
    work.assume(
        f"{given.count:,} lengths drawn with seed {given.seed} from a {given.shape} distribution, "
        f"at most 16 means; mean {plain(mean)}"
    )


def _static(lengths: list[int], slots: int) -> list[Placed]:
    placed, start = [], 0
    for first in range(0, len(lengths), slots):
        group = lengths[first : first + slots]
        placed += [Placed(first + n, n, start, start + size) for n, size in enumerate(group)]
        start += max(group)
    return placed


def _continuous(lengths: list[int], slots: int) -> list[Placed]:
    """Each answer goes to the slot that is free first, the lowest among equals."""
    ends = [(0, slot) for slot in range(min(slots, len(lengths)))]
    heapify(ends)
    placed = []
    for index, size in enumerate(lengths):
        start, slot = ends[0]
        heapreplace(ends, (start + size, slot))
        placed.append(Placed(index, slot, start, start + size))
    return placed


def _record(grouped: list[Placed], refilled: list[Placed], slots: int) -> Recording:
    recording = Recording()
    drawn = min(slots, DRAWN)
    rows = {
        name: [[p for p in placed if p.slot == slot] for slot in range(drawn)]
        for name, placed in (("static", grouped), ("continuous", refilled))
    }
    over = max(p.end for p in grouped)
    for now in range(1, over + 1):
        if not recording.open:
            recording.left_out += over - now
            break
        lanes = [
            Lane(label=f"{name} {slot + 1}", cells=_cells(row, now))
            for name, per_slot in rows.items()
            for slot, row in enumerate(per_slot)
        ]
        counts = {
            name: _busy(placed, now)
            for name, placed in (("static", grouped), ("continuous", refilled))
        }
        told = ", ".join(f"{count:g} of {slots} {name}" for name, count in counts.items())
        said = f"Busy slots: {told}."
        recording.add(f"Iteration {now}", said, lanes, **counts)
    return recording


def _busy(placed: list[Placed], now: int) -> float:
    return float(sum(p.start < now <= p.end for p in placed))


def _cells(row: list[Placed], now: int) -> tuple[Cell, ...]:
    """What a slot did up to iteration `now`, as runs."""
    cells: list[Cell] = []
    at = 0
    for placed in (p for p in row if p.start < now):
        if placed.start > at:
            cells.append(Cell(text="", mark="lost", width=placed.start - at))
        end = min(placed.end, now)
        mark: Mark = "new" if placed.end >= now else "held"
        cells.append(Cell(text=f"R{placed.index + 1}", mark=mark, width=end - placed.start))
        at = end
    if at < now:
        cells.append(Cell(text="", mark="lost", width=now - at))
    return tuple(cells)
