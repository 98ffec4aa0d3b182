"""`stream_events`: latencies of one recorded stream, without inventing times of single tokens."""

from itertools import pairwise

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Event(Arguments):
    """One event as the client received it."""

    at_ms: float = Field(ge=0, le=1e9, description="Time of arrival in ms, on the client's clock")
    tokens: int = Field(ge=0, le=1_000_000, description="Tokens in it; 0: metadata alone")


class EventsArguments(Arguments):
    """Arguments of stream_events."""

    events: list[Event] = Field(
        min_length=1, max_length=2000, description="Events in order: at_ms and tokens"
    )
    intended_ms: float = Field(
        default=0, ge=0, le=1e9, description="Time in ms at which the load plan wanted it sent"
    )
    sent_ms: float = Field(
        default=0, ge=0, le=1e9, description="Time in ms at which the client really sent it"
    )
    engine_ttft_ms: float | None = Field(
        default=None, ge=0, le=1e9, description="Time to first token that the engine reports, in ms"
    )


@tool(
    group="streaming",
    example={
        "events": [
            {"at_ms": 130, "tokens": 0},
            {"at_ms": 420, "tokens": 1},
            {"at_ms": 480, "tokens": 3},
            {"at_ms": 540, "tokens": 3},
            {"at_ms": 600, "tokens": 2},
            {"at_ms": 602, "tokens": 0},
        ],
        "intended_ms": 0,
        "sent_ms": 90,
        "engine_ttft_ms": 240,
    },
    drawing=Drawing(
        kind="line",
        title="Tokens received over time",
        x="at_ms",
        x_label="ms on the client's clock",
        y_label="tokens",
        series=(Series("tokens_so_far", "tokens"),),
    ),
)
def stream_events(given: EventsArguments) -> Working:
    """Audit one stream: launch delay, TTFT, time per output token, and gaps between events.

    The first event with tokens ends TTFT, not metadata. TPOT divides by the tokens after that
    event. Several tokens in one event have no times of their own, so gaps are of events and no
    percentile between tokens is given.
    """
    times = [event.at_ms for event in given.events]
    if any(later < sooner for sooner, later in pairwise(times)):
        raise ToolError("events", "…", "go back in time: put them in order, on one clock")
    if not given.intended_ms <= given.sent_ms <= times[0]:
        raise ToolError(
            "sent_ms", given.sent_ms, "must lie between intended_ms and the first event"
        )
    carrying = [event for event in given.events if event.tokens]
    if not carrying:
        raise ToolError("events", "…", "carry no token at all: a failed request, not a fast one")
    work = Working(headline="ttft_ms", source="differences of the recorded times")
    _put(work, given, carrying)
    _put_gaps(work, carrying)
    work.table = []
    total = 0
    for event in given.events:
        total += event.tokens
        row = {"at_ms": event.at_ms, "tokens": event.tokens, "tokens_so_far": total}
        work.table.append(row)
    return work


def _put(work: Working, given: EventsArguments, carrying: list[Event]) -> None:
    first, last = carrying[0], carrying[-1]
    total = sum(event.tokens for event in carrying)
    ttft = first.at_ms - given.sent_ms
    work.put("ttft_ms", ttft, "ms", "from the send to the first event with tokens")
    work.put("launch_ms", given.sent_ms - given.intended_ms, "ms", "the client's own launch delay")
    planned = first.at_ms - given.intended_ms
    work.put("planned_ttft_ms", planned, "ms", "from the planned send: what an open load feels")
    metadata = given.events[0].at_ms - given.sent_ms
    work.put("first_event_ms", metadata, "ms", "to the first event of any kind")
    work.put("latency_ms", last.at_ms - given.sent_ms, "ms", "to the last token")
    work.put("tokens", total, "tokens", "received", "count")
    if total > first.tokens:
        tpot = (last.at_ms - first.at_ms) / (total - first.tokens)
        kind = "exact" if first.tokens == 1 else "estimate"
        work.put("tpot_ms", tpot, "ms/token", "mean after the first event with tokens", kind)
    if given.engine_ttft_ms is not None:
        outside = ttft - given.engine_ttft_ms
        work.put("outside_ms", outside, "ms", "of TTFT outside the engine")
        if outside < 0:
            work.warn("the engine reports more than the client saw: the clocks start elsewhere")
    work.formula = (
        f"{plain(first.at_ms)} - {plain(given.sent_ms)} = {plain(ttft)} ms; "
        f"({plain(last.at_ms)} - {plain(first.at_ms)}) ms / ({total:,} - {first.tokens:,}) tokens"
    )
    work.assume("an event without tokens is metadata and ends no latency")


def _put_gaps(work: Working, carrying: list[Event]) -> None:
    gaps = sorted(later.at_ms - sooner.at_ms for sooner, later in pairwise(carrying))
    most = max(event.tokens for event in carrying)
    single = most == 1
    work.put("tokens_per_event", most, "tokens", "in the fullest event", "count")
    if gaps:
        between = "tokens" if single else "events with tokens"
        for key, share in (("gap_p50_ms", 0.5), ("gap_p99_ms", 0.99), ("gap_max_ms", 1.0)):
            said = f"gap between {between}, {plain(share * 100)} %"
            work.put(key, nearest_rank(gaps, share), "ms", said)
    if not single:
        work.warn(
            f"up to {most:,} tokens share one event: their own times are not known, so no "
            "inter-token percentile is given"
        )
