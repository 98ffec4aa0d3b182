"""The scripts of spoken answers in their pure parts, under node; skipped without it."""

import json
from typing import Any

from tests.web.test_pages_scripts import needs_node, run

LIVE = """
globalThis.addEventListener = () => undefined;
globalThis.setInterval = () => undefined;
globalThis.setTimeout = (act) => act();
const { Take } = await import('./take.js');
const sent = [];
const live = {
  backlog: 0, open: true,
  send(frame) { if (this.open) sent.push(frame.type); return this.open; },
  sendSound(number) { if (this.open) sent.push(number); return this.open; },
};
const take = new Take(live, () => undefined, 'r1');
const speak = (count) => { for (let n = 0; n < count; n += 1) take.push(new Int16Array(1600)); };
const stands = (next, state = 'recording') => take.hear({ type: 'take', id: take.id, state, next });
"""
QUIET_DB, LOUD_DB = -60, -20


def played(steps: str) -> Any:
    """What a page sends while these things happen: numbers of frames, and types of others."""
    return json.loads(run(f"{LIVE}{steps} console.log(JSON.stringify(sent));"))


@needs_node
def test_frames_wait_until_the_server_says_which_one_it_wants() -> None:
    assert played("take.begin(false); speak(2); stands(0);") == ["record", 0, 1]


@needs_node
def test_after_a_break_only_what_was_not_stored_is_sent_again() -> None:
    steps = """take.begin(false); stands(0); speak(5); take.hear({ type: 'kept', next: 3 });
    live.open = false; speak(2); live.open = true; stands(3); sent.push('x'); speak(1);"""
    assert played(steps) == ["record", 0, 1, 2, 3, 4, 3, 4, 5, 6, "x", 7]


@needs_node
def test_done_goes_out_after_the_last_frame() -> None:
    steps = "take.begin(false); speak(3); take.done(); stands(0);"
    assert played(steps) == ["record", 0, 1, 2, "done"]


@needs_node
def test_a_slow_socket_is_not_filled_with_more_than_it_takes() -> None:
    steps = "take.begin(false); stands(0); live.backlog = 1e9; speak(5); sent.push(take.unstored);"
    assert played(steps) == ["record", 5]


@needs_node
def test_a_frame_that_the_disk_refused_is_sent_again() -> None:
    steps = """take.begin(false); stands(0); speak(2);
    take.hear({ type: 'kept', next: 1, problem: 'the disk is full' }); speak(1);"""
    assert played(steps) == ["record", 0, 1, 1]


@needs_node
def test_an_answer_that_the_server_never_heard_of_is_begun_again() -> None:
    steps = """live.open = false; take.begin(true); speak(2); live.open = true;
    take.hear({ type: 'take', id: '', state: 'gone' }); stands(0);"""
    assert played(steps) == ["record", 0, 1]


@needs_node
def test_what_was_sent_by_another_tab_is_let_go_of() -> None:
    steps = """take.begin(false); stands(0); speak(2); stands(2, 'heard');
    take.hear({ type: 'take', id: '', state: 'gone' }); sent.push(take.state, take.frames);"""
    assert played(steps)[-2:] == ["none", 0]


LEFT = """
let restored;
take.store = { hold() {}, drop() {}, from: () => new Promise((found) => { restored = found; }) };
live.sendSound = (number, samples) => sent.push([number, samples[0]]);
const left = (first, count) => Array.from({ length: count }, (_, n) => new Int16Array([first + n]));
const say = (first, count) => left(first, count).forEach((frame) => take.push(frame));
const found = async (...frames) => { restored(frames); await null; await null; };
take.hear({ type: 'take', id: 'v1', state: 'recording', next: 3 });
"""
"""A page that comes back to an answer of which the server has three frames."""


@needs_node
def test_what_an_earlier_page_left_is_sent_before_what_is_said_now() -> None:
    steps = f"{LEFT} take.begin(false); stands(3); say(20, 2); take.done(); sent.push('slow');"
    steps += "await found(...left(10, 2));"
    numbered = [[3, 10], [4, 11], [5, 20], [6, 21]]
    assert played(steps) == ["record", "slow", *numbered, "done"]


@needs_node
def test_nothing_was_left_and_what_is_said_meanwhile_is_sent() -> None:
    steps = f"{LEFT} take.begin(false); stands(3); say(20, 2); await found();"
    assert played(steps) == ["record", [3, 20], [4, 21]]


@needs_node
def test_of_what_was_left_only_what_the_server_lacks_by_then_is_sent() -> None:
    steps = f"{LEFT} take.begin(false); stands(4); say(20, 1); await found(...left(10, 2));"
    assert played(steps) == ["record", [4, 11], [5, 20]]


@needs_node
def test_what_was_left_of_a_discarded_answer_is_not_sent_with_the_next_one() -> None:
    steps = f"{LEFT} take.discard(); take.begin(false); stands(0); say(20, 1);"
    steps += "await found(...left(10, 2)); say(21, 1);"
    assert played(steps) == ["discard", "record", [0, 20], [1, 21]]


@needs_node
def test_frames_that_the_server_had_from_elsewhere_are_passed_over() -> None:
    steps = """take.begin(false); stands(0); speak(2); take.hear({ type: 'kept', next: 5 });
    speak(1);"""
    assert played(steps) == ["record", 0, 1, 5]


def ended(*levels: tuple[int, float], after: int = 3, think_at: float = -1) -> float | None:
    """Second at which silence ends an answer with these levels (dB, seconds); None for never."""
    frames = [level for level, seconds in levels for _ in range(round(seconds * 10))]
    printed = run(
        "import { Silence } from './silence.js';"
        f"const silence = new Silence(); silence.after = {after};"
        f"const at = {json.dumps(frames)}.findIndex((level, n) => "
        f"{{ if (n === {round(think_at * 10)}) silence.think(); return silence.ends(level); }});"
        "console.log(at);"
    )
    return None if printed == "-1" else int(printed) / 10


@needs_node
def test_silence_after_speech_ends_an_answer_where_it_may() -> None:
    assert ended((QUIET_DB, 2), (LOUD_DB, 3), (QUIET_DB, 5)) == 7.9
    assert ended((QUIET_DB, 2), (LOUD_DB, 3), (QUIET_DB, 5), after=0) is None


@needs_node
def test_silence_before_anything_was_said_ends_nothing() -> None:
    assert ended((QUIET_DB, 30)) is None


@needs_node
def test_a_minute_of_speech_in_a_noisy_room_is_not_taken_for_silence() -> None:
    phrase = ((LOUD_DB, 2.5), (-42, 0.4))
    assert ended((-42, 1), *phrase * 20) is None
    assert ended((-42, 1), *phrase * 20, (-42, 4)) is not None


@needs_node
def test_let_me_think_holds_the_silence_off_until_speech_comes_again() -> None:
    thought = ((QUIET_DB, 1), (LOUD_DB, 2), (QUIET_DB, 20))
    assert ended(*thought, think_at=4) is None
    assert ended(*thought, (LOUD_DB, 2), (QUIET_DB, 5), think_at=4) == 27.9
