"""`slow_link`, `collective_hang`: one slow link slows all; one missing rank stops all."""

from collections import Counter
from math import ceil, log2
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class SlowLinkArguments(Arguments):
    """Arguments of slow_link."""

    comm_share: float = Field(
        ge=0, le=1, description="Communication's share of a healthy step, not hidden, 0 to 1"
    )
    slowdown: float = Field(
        ge=1, le=1000, description="How many times slower the link is, e.g. 4 at a quarter rate"
    )
    hidden_share: float = Field(
        default=0,
        ge=0,
        le=1,
        description="Further communication, in healthy steps, that arithmetic hides",
    )
    step_ms: float | None = Field(
        default=None, ge=1e-9, le=1e7, description="Time of a healthy step in ms"
    )
    nodes: int = Field(default=2, ge=2, le=100_000, description="Nodes among which to search")


@tool(
    group="collectives",
    example={"comm_share": 0.3333, "slowdown": 4, "step_ms": 30, "nodes": 16},
    drawing=Drawing(
        kind="line",
        title="Step time against the slowdown of one link",
        x="slowdown",
        x_label="slowdown of the slowest link",
        y_label="step time, healthy = 1",
        series=(Series("step", "step"),),
    ),
)
def slow_link(given: SlowLinkArguments) -> Working:
    """Slower step of every GPU when one link is slow: a collective runs at its slowest link.

    Step = arithmetic + communication x slowdown. Says how many halvings find the culprit.
    """
    if given.hidden_share > 1 - given.comm_share:
        raise ToolError(
            "hidden_share", given.hidden_share, "cannot hide behind more arithmetic than there is"
        )
    work = Working(headline="step_factor", source="a ring waits for its slowest link at each step")
    factor = _factor(given, given.slowdown)
    work.put("step_factor", factor, "x", "step against a healthy one")
    work.put("lost_throughput", 1 - 1 / factor, "fraction", "of every GPU that takes part")
    after = 1 - (1 - given.comm_share) / factor
    work.put("comm_share_after", after, "fraction", "of the slow step in communication")
    if given.step_ms is not None:
        work.put("step_ms", given.step_ms * factor, "ms", "slow step", "estimate")
    rounds = ceil(log2(given.nodes))
    work.put("bisection_rounds", rounds, "rounds", f"to find one of {given.nodes:,} nodes", "count")
    work.formula = (
        f"{plain(1 - given.comm_share)} + {plain(given.comm_share)} x {plain(given.slowdown)} = "
        f"{plain(factor)}x"
    )
    if given.hidden_share:
        work.formula = (
            f"max(healthy, arithmetic + what {plain(given.slowdown)}x communication no longer "
            f"hides) = {plain(factor)}x"
        )
    work.assume(
        "all GPUs wait for one another in each collective",
        "halves are tested at once, each on its own; the slow half goes on",
    )
    work.table = [
        {"slowdown": s, "step": _factor(given, s)}
        for s in sorted({1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, given.slowdown})
    ]
    return work


def _factor(given: SlowLinkArguments, slowdown: float) -> float:
    whole = given.comm_share + given.hidden_share
    exposed = max(given.comm_share, whole * slowdown - given.hidden_share)
    return 1 - given.comm_share + exposed


class Rank(Arguments):
    """Where one rank is, as a flight recorder has it."""

    rank: int = Field(ge=0, le=1_000_000, description="Number of the rank")
    seq: int = Field(ge=0, le=10**12, description="Number of its last collective")
    op: str = Field(max_length=40, description="Which collective, e.g. all_reduce")
    bytes: float = Field(default=0, ge=0, le=1e15, description="Its size in bytes")
    state: Literal["scheduled", "started", "completed"] = Field(
        default="started", description="How far it got"
    )


class CollectiveHangArguments(Arguments):
    """Arguments of collective_hang."""

    ranks: list[Rank] = Field(
        min_length=1, max_length=1024, description="Last collective of each rank that answered"
    )
    world_size: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Ranks that there should be"
    )


@tool(
    group="collectives",
    example={
        "ranks": [
            {"rank": 0, "seq": 812, "op": "all_reduce", "bytes": 16384},
            {"rank": 1, "seq": 812, "op": "all_reduce", "bytes": 16384},
            {"rank": 2, "seq": 811, "op": "all_reduce", "bytes": 16384, "state": "completed"},
            {"rank": 3, "seq": 812, "op": "all_reduce", "bytes": 16384},
        ],
        "world_size": 4,
    },
    drawing=Drawing(
        kind="bars",
        title="Collectives that each rank is behind the furthest",
        x="rank",
        x_label="rank",
        y_label="collectives behind",
        series=(Series("behind", "behind"),),
    ),
)
def collective_hang(given: CollectiveHangArguments) -> Working:
    """Who holds up a hung collective: ranks that are behind, missing, or in another one.

    Most ranks of a hang are victims that wait. The culprit is the one that did not arrive, or that
    called another operation or size at the same number.
    """
    _check_ranks(given)
    head = max(rank.seq for rank in given.ranks)
    late = [rank for rank in given.ranks if rank.seq < head]
    there = [rank for rank in given.ranks if rank.seq == head]
    calls = Counter((rank.op, rank.bytes) for rank in there)
    common = calls.most_common(1)[0][0]
    odd = [rank for rank in there if (rank.op, rank.bytes) != common]
    missing = sorted(set(range(given.world_size or 0)) - {rank.rank for rank in given.ranks})
    work = Working(headline="suspects", source="flight-recorder triage: first divergence in order")
    suspects = len(late) + len(odd) + len(missing)
    work.put("suspects", suspects, "ranks", "late, in another call, or silent", "count")
    work.put("waiting", len(there) - len(odd), "ranks", "wait: victims, not causes", "count")
    work.put("head_seq", head, "number", "of the furthest collective", "count")
    work.put("late", len(late), "ranks", "have not reached it", "count")
    work.put("mismatched", len(odd), "ranks", "called something else there", "count")
    work.put("missing", len(missing), "ranks", "did not answer at all", "count")
    work.formula = f"{len(late)} late + {len(odd)} mismatched + {len(missing)} missing = {suspects}"
    work.assume(*_steps(late, odd, missing, common[0]))
    work.table = [
        {
            "rank": str(rank.rank),
            "behind": head - rank.seq,
            "op": rank.op,
            "bytes": rank.bytes,
            "state": rank.state,
        }
        for rank in sorted(given.ranks, key=lambda r: r.rank)
    ]
    return work


def _check_ranks(given: CollectiveHangArguments) -> None:
    numbers = [rank.rank for rank in given.ranks]
    if len(set(numbers)) != len(numbers):
        raise ToolError("ranks", numbers[:20], "each rank once")
    if given.world_size is not None and max(numbers) >= given.world_size:
        raise ToolError("world_size", given.world_size, f"but there is a rank {max(numbers)}")


def _steps(late: list[Rank], odd: list[Rank], missing: list[int], common: str) -> list[str]:
    said = []
    if missing:
        said.append(f"first: are ranks {missing[:8]} alive? (process, GPU error, host) ")
    if late:
        worst = min(late, key=lambda rank: rank.seq)
        said.append(
            f"{counted(len(late), 'rank')} behind; start at rank {worst.rank}, which last "
            f"{worst.state} {worst.op} {worst.seq:,}: take its stack"
        )
    if odd:
        said.append(
            f"rank {odd[0].rank} called {odd[0].op} where the others called {common}: a bug"
        )
    if not said:
        said.append(
            "all ranks are in the same call: the network or a kernel; a wrong transport is slow "
            "but rarely hangs, so check counters of the links, then one rank pair at a time"
        )
    return [line.strip() for line in said]
