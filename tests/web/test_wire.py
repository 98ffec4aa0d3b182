"""Frames: what is read, and that nothing else than BadFrame is raised for what cannot be."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.events import CandidateSpoke, Recorded, ToolReturned
from web import wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
KEYS = st.sampled_from(["type", "id", "text", "mode", "x"])
TYPES = st.sampled_from(["say", "stop", "think", "move_on", "finish", "ping", "sing"])


def read(text: str) -> wire.ClientFrame | None:
    """The frame, or None where it is refused by name; anything else that is raised is a fault."""
    try:
        return wire.decode(text)
    except wire.BadFrame:
        return None


@given(st.text())
def test_fault_18_any_text_is_a_frame_or_refused(text: str) -> None:
    read(text)


@given(st.dictionaries(KEYS, JSON | TYPES), st.booleans())
def test_fault_18_any_object_is_a_frame_or_refused(body: dict[str, object], escape: bool) -> None:
    read(json.dumps(body, ensure_ascii=escape))


@given(st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010), min_size=1))
def test_fault_18_surrogates_never_reach_an_answer(text: str) -> None:
    frame = read(json.dumps({"type": "say", "id": "a", "text": text}))
    assert frame is None or (isinstance(frame, wire.Say) and frame.text.encode())


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["typed", "spoken"]))
def test_an_answer_is_read_as_it_was_written(text: str, mode: str) -> None:
    frame = read(json.dumps({"type": "say", "id": "a", "text": text, "mode": mode}))
    assert frame == wire.Say("a", text, mode)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "frame", [wire.Say("a", "t"), wire.Stop(), wire.Think("a"), wire.MoveOn("a"), wire.Ping()]
)
def test_what_our_own_client_writes_is_read(frame: wire.ClientFrame) -> None:
    assert wire.decode(msgspec.json.encode(frame).decode()) == frame


def test_unknown_fields_of_a_newer_client_are_ignored() -> None:
    assert wire.decode('{"type":"ping","since":1}') == wire.Ping()


def test_an_event_frame_holds_the_event_as_the_log_does() -> None:
    event = CandidateSpoke(client_id="a", text="\u2028 \N{WATER WAVE} </script>")
    recorded = Recorded(seq=7, at="2026-01-01T00:00:00.123456Z", event=event)
    frame = json.loads(wire.encode_event(recorded))
    assert frame.pop("type") == "event"
    assert Recorded.model_validate(frame) == recorded


def test_fault_18_a_number_that_is_none_is_sent_as_null() -> None:
    event = ToolReturned(call="c", ok=True, result={"value": float("nan")})
    recorded = Recorded(seq=1, at="2026-01-01T00:00:00Z", event=event)
    assert b"NaN" not in wire.encode_event(recorded)


def test_a_problem_without_an_id_has_none() -> None:
    assert (
        wire.encode(wire.Problem("busy", "m")) == b'{"type":"problem","code":"busy","message":"m"}'
    )
