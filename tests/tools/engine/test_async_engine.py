"""Async scheduling: what is wasted, what must wait, and the faults of the wrong ways."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.engine.async_flow import AsyncEngine, draw
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=200, deadline=None, database=None)
REUSED = "admit a 16 max=8; launch; abort a; admit a 16 max=8; launch; return; return"
COMPACTED = "admit a 16 max=9; admit b 16 max=9; launch; launch; return a:eos; return"


def run(events: str, **given_: Any) -> Result:
    return CATALOG["async_engine_ref"].call({"events": events, **given_})


def value(result: Result, key: str) -> float:
    return result.measures[key].value


def test_an_eos_wastes_the_step_that_was_planned_before_it_was_seen() -> None:
    events = "admit a 16 max=8; launch; launch; return a:eos; return"
    assert value(run(events), "wasted_tokens") == 1
    assert value(run("admit a 16 max=8; launch; return a:eos; launch", depth=1), "steps") == 1


def test_a_known_length_wastes_nothing() -> None:
    result = run("admit a 16 max=2; launch; launch; launch; return; return")
    assert (value(result, "steps"), value(result, "wasted_tokens")) == (2, 0)


def test_a_step_reads_a_placeholder_where_the_last_token_is_not_back() -> None:
    assert value(run("admit a 16; launch; launch"), "placeholders") == 1
    assert value(run("admit a 16; launch; return; launch"), "placeholders") == 0


def test_pages_of_an_aborted_request_wait_for_the_step_in_flight() -> None:
    result = run("admit a 16; launch; abort a")
    assert (value(result, "owed_pages"), value(result, "free_pages")) == (1, 31)
    assert value(run("admit a 16; launch; abort a; return"), "free_pages") == 32


def test_freeing_at_once_gives_a_page_away_that_a_step_still_writes() -> None:
    events = "admit a 16; launch; abort a; admit b 16; launch"
    assert value(run(events, pages=1, frees="immediate"), "corrupted_pages") == 1
    assert value(run(events, pages=1), "corrupted_pages") == 0


def test_a_reused_name_never_gets_the_tokens_of_the_one_before() -> None:
    assert value(run(REUSED), "misrouted") == 0
    assert value(run(REUSED), "dropped") == 1
    assert value(run(REUSED, routing="name"), "misrouted") == 1


def test_routing_by_todays_row_sends_a_continuation_to_another_request() -> None:
    assert value(run(COMPACTED), "misrouted") == 0
    assert value(run(COMPACTED, routing="row"), "misrouted") == 1


def test_a_second_return_of_a_step_changes_nothing() -> None:
    once = run("admit a 16; launch; return step=1")
    twice = run("admit a 16; launch; return step=1; return step=1")
    assert value(twice, "duplicates") == 1
    assert value(once, "emitted_tokens") == value(twice, "emitted_tokens") == 1


@pytest.mark.parametrize(
    ("events", "remedy"),
    [
        ("return", "no step is in flight"),
        ("return step=3", "never started"),
        ("admit a 4; launch; launch; return step=2", "in order"),
        ("abort a", "does not run"),
        ("admit a 4; admit a 4", "runs already"),
        ("admit a 4 max=0", "at least 1"),
        ("admit a 4; launch; return a=5", "no option"),
        ("admit a 4; launch; return a:x", "NAME:TOKEN"),
    ],
)
def test_an_event_that_cannot_happen_is_told_why(events: str, remedy: str) -> None:
    with pytest.raises(ToolError, match=remedy) as caught:
        run(events)
    assert caught.value.field == "events"


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["admit", "launch", "launch", "land", "land", "abort"]),
        st.sampled_from("abc"),
        st.integers(1, 40),
        st.booleans(),
    ),
    max_size=60,
)


def drive(engine: AsyncEngine, events: list[tuple[str, str, int, bool]]) -> None:
    for verb, name, size, eos in events:
        running = engine.find(name)
        if verb == "admit" and not running:
            engine.admit(name, size, 1 + size % 5, f"seed of {name}")
        elif verb == "launch":
            engine.launch()
        elif verb == "land" and engine.flights:
            engine.land(engine.flights[0].number, {name: 0} if eos else {})
        elif verb == "abort" and running:
            engine.abort(running)


@few
@given(EVENTS, st.integers(1, 4), st.integers(1, 12))
def test_whatever_happens_pages_add_up_and_none_is_given_away_in_use(
    events: list[tuple[str, str, int, bool]], depth: int, pages: int
) -> None:
    engine = AsyncEngine(pages, 8, depth, "ticket", "deferred", 1)
    for number in range(len(events)):
        drive(engine, events[number : number + 1])
        held = sum(len(request.pages) for request in engine.rows)
        assert held + engine.owed_pages + engine.pool.free == pages
    assert (engine.counts.misrouted, engine.counts.corrupted) == (0, 0)
    computed = engine.launched and sum(len(request.tokens) for request in engine.everyone)
    assert computed == engine.counts.emitted


@few
@given(EVENTS, st.integers(1, 4))
def test_a_token_depends_on_its_seed_and_position_only(
    events: list[tuple[str, str, int, bool]], depth: int
) -> None:
    engine = AsyncEngine(64, 8, depth, "ticket", "deferred", 1)
    drive(engine, events)
    for request in engine.everyone:
        addresses = range(request.prompt, request.prompt + len(request.tokens))
        drawn = [draw(request.seed, at) for at in addresses]
        assert all(t in (0, d) for t, d in zip(request.tokens, drawn, strict=True))


@few
@given(EVENTS, st.integers(1, 4))
def test_when_all_steps_are_back_no_page_is_owed(
    events: list[tuple[str, str, int, bool]], depth: int
) -> None:
    engine = AsyncEngine(64, 8, depth, "ticket", "deferred", 1)
    drive(engine, events)
    while engine.flights:
        engine.land(engine.flights[0].number, {})
    assert engine.owed_pages == 0
