"""Streams against a reference that sees the whole output at once; buffers; recorded events."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.operations.stream_text import StopHoldback, WindowDecoder, longest_suffix_prefix
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=150, deadline=None, database=None)

TEXT = st.text(st.sampled_from("ab#\n€😀"), max_size=30)
STOPS = st.lists(st.text("ab#\n", min_size=1, max_size=4), max_size=3)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(p % (len(data) + 1) for p in places)})
    return [data[a:b] for a, b in pairwise(edges)]


def whole(text: str, stops: list[str]) -> str:
    """What should be sent: up to the stop that is complete first."""
    ends = [(i + len(s), i) for s in stops if (i := text.find(s)) >= 0]
    return text[: min(ends)[1]] if ends else text


@few
@given(TEXT, st.lists(st.integers(0, 200), max_size=20))
def test_tokens_cut_anywhere_decode_to_the_whole_text(text: str, places: list[int]) -> None:
    decoder = WindowDecoder()
    parts = [decoder.feed(piece) for piece in cut(text.encode(), places)]
    assert "".join([*parts, decoder.close()]) == text
    assert not any("�" in part for part in parts)


@few
@given(st.binary(max_size=30), st.lists(st.integers(0, 200), max_size=20))
def test_bytes_that_are_no_text_end_as_when_decoded_at_once(data: bytes, places: list[int]) -> None:
    decoder = WindowDecoder()
    parts = [decoder.feed(piece) for piece in cut(data, places)]
    assert "".join([*parts, decoder.close()]) == data.decode("utf-8", "replace")


@few
@given(TEXT, STOPS, st.lists(st.integers(0, 200), max_size=20))
def test_a_stream_sends_what_the_reference_sends(
    text: str, stops: list[str], places: list[int]
) -> None:
    decoder, holdback = WindowDecoder(), StopHoldback(stops)
    sent = "".join(holdback.feed(decoder.feed(piece)) for piece in cut(text.encode(), places))
    if holdback.stopped is None:
        sent += holdback.feed(decoder.close())
        sent += holdback.close()
    assert sent == whole(text, stops)


@few
@given(TEXT, STOPS)
def test_exactly_the_text_that_could_become_a_stop_is_held(text: str, stops: list[str]) -> None:
    if any(stop in text for stop in stops):
        return
    keep = longest_suffix_prefix(text, stops)
    possible = [
        size
        for size in range(len(text) + 1)
        if size == 0 or any(s.startswith(text[-size:]) for s in stops)
    ]
    assert keep == max(possible)


def test_the_client_never_has_a_part_of_the_stop() -> None:
    rows = call("detokenize_stream", tokens=list("ok</s>"), stops=["</s>"]).table
    assert "".join(row["new"] for row in rows) == "ok"


def test_a_stop_that_did_not_come_is_text_at_the_end() -> None:
    assert call("detokenize_stream", tokens=["a", "##"], stops=["###"]).value == 3


def test_a_stop_may_be_sent_too() -> None:
    arguments = {"tokens": ["a#", "##b"], "stops": ["###"]}
    assert call("detokenize_stream", **arguments).value == 1
    assert call("detokenize_stream", include_stop=True, **arguments).value == 4


def test_a_stream_has_a_step_for_each_token() -> None:
    tool = CATALOG["detokenize_stream"]
    result = tool.call(tool.example)
    assert len(result.trace) == 8
    assert "€" in result.trace[2].said
    assert tool.step_figure(result, 1)


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(
    st.floats(1, 200),
    st.integers(1, 400),
    st.floats(0, 20_000),
    st.floats(0, 10),
    st.integers(1, 20_000),
)
def test_no_connection_keeps_more_than_its_budget(
    rate: float, frame: int, client: float, stall: float, budget: int
) -> None:
    measures = call(
        "stream_buffer",
        tokens=400,
        tokens_per_s=rate,
        frame_bytes=frame,
        client_bytes_per_s=client,
        stall_s=stall,
        budget_bytes=budget,
    ).measures
    assert measures["peak_bytes"].value <= budget
    if not measures["overflowed"].value:
        assert measures["wasted_tokens"].value == 0


def test_a_budget_that_forgets_the_pending_write_keeps_a_frame_more() -> None:
    arguments = {"tokens": 50, "tokens_per_s": 10, "frame_bytes": 100, "client_bytes_per_s": 0}
    peaks = [
        call("stream_buffer", budget_bytes=1000, count_pending=counted, **arguments).value
        for counted in (True, False)
    ]
    assert peaks == [1000, 1100]


def test_an_overflow_that_does_not_reach_the_engine_wastes_the_rest() -> None:
    arguments = {"tokens": 50, "tokens_per_s": 10, "frame_bytes": 100, "client_bytes_per_s": 0}
    wasted = [
        call("stream_buffer", budget_bytes=1000, cancel=cancel, **arguments)
        .measures["wasted_tokens"]
        .value
        for cancel in (True, False)
    ]
    assert wasted == [11, 50]


def test_metadata_does_not_end_the_time_to_first_token() -> None:
    result = CATALOG["stream_events"].call(CATALOG["stream_events"].example)
    assert result.value == 330
    assert result.measures["first_event_ms"].value == 40


def test_no_percentile_between_tokens_is_given_where_events_hold_several() -> None:
    example = CATALOG["stream_events"].example
    result = CATALOG["stream_events"].call(example)
    assert "events" in result.measures["gap_p99_ms"].label
    assert any("no inter-token percentile" in warning for warning in result.warnings)


def test_single_tokens_have_gaps_of_their_own() -> None:
    events = [{"at_ms": 100 + 20 * n, "tokens": 1} for n in range(10)]
    result = call("stream_events", events=events)
    assert "tokens" in result.measures["gap_p99_ms"].label
    assert result.measures["tpot_ms"].value == 20
    assert not result.warnings


def test_the_clients_own_delay_is_not_the_engines() -> None:
    result = CATALOG["stream_events"].call(CATALOG["stream_events"].example)
    assert result.measures["launch_ms"].value == 90
    assert result.measures["outside_ms"].value == 90


def test_a_stream_without_tokens_is_no_fast_one() -> None:
    with pytest.raises(ToolError, match="failed request"):
        call("stream_events", events=[{"at_ms": 5, "tokens": 0}])


def test_the_stop_that_is_complete_first_counts_wherever_tokens_are_cut() -> None:
    ways = (["xabcd"], ["x", "ab", "cd"], list("xabcd"))
    sent = [call("detokenize_stream", tokens=w, stops=["abcd", "bc"]).formula for w in ways]
    assert sent == ["sent 'xa'; stopped at 'bc'"] * 3
