"""Events beside the rounds: what was written once is read for ever, and changes no round."""

import json
from pathlib import Path
from typing import get_args

from interviewer.events import EVENT, Beside, Event, Recorded
from interviewer.loops import run_of
from interviewer.round import Round, replay
from interviewer.stories.story import story_of

GOLDEN = Path(__file__).parents[1] / "golden" / "beside-v1.jsonl"
LINES = GOLDEN.read_text("utf-8").splitlines()
RECORDED = [Recorded.model_validate_json(line) for line in LINES]


def test_every_field_that_was_written_is_read_back() -> None:
    for line, recorded in zip(LINES, RECORDED, strict=True):
        assert json.loads(recorded.model_dump_json())["event"] == json.loads(line)["event"]


def test_the_file_holds_every_kind_of_event_beside_the_rounds() -> None:
    kinds = {kind for kind in get_args(get_args(Event)[0]) if issubclass(kind, Beside)}
    assert kinds == {type(recorded.event) for recorded in RECORDED}


def test_none_of_them_changes_a_round() -> None:
    assert replay(RECORDED) == Round(seq=RECORDED[-1].seq)


def test_a_loop_and_a_story_fold_from_what_was_written() -> None:
    loop = run_of("x", [r for r in RECORDED if r.event.type.startswith(("Loop", "Stage"))])
    story = story_of("y", [r for r in RECORDED if r.event.type.startswith("Story")])
    assert loop is not None
    assert (loop.plan.company, len(loop.played), loop.ended is not None) == ("Palantir", 1, True)
    assert story is not None
    assert (story.removed, len(story.tellings), len(story.checks)) == (True, 1, 1)


def test_a_field_of_a_newer_viva_is_passed_over() -> None:
    newer = json.loads(LINES[0])["event"] | {"mood": "good"}
    assert EVENT.validate_python(newer) == RECORDED[0].event
