"""A spoken answer where microphone, network, server or recogniser fails: nothing said is lost."""

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    WebSocketRoute,
    expect,
)

from interviewer.errors import VoiceError
from interviewer.takes.wav import FRAME_BYTES, frames_in
from interviewer.voice.scripted import ScriptedRecogniser
from tests.browser.serving import serving
from tests.browser.slow import slow_network
from tests.browser.sound import allowed, hearing
from tests.browser.speaking import (
    HEARD,
    LISTEN_IN,
    Opened,
    at_least,
    heard,
    press,
    record,
    recorded,
    words,
)
from tests.browser.steps import box, start, turns, until
from tests.servers import free_port


def test_what_is_said_while_the_server_is_away_is_handed_over_when_it_is_back(
    speaking: Browser, tmp_path: Path
) -> None:
    database, recogniser = f"sqlite:///{tmp_path / 'viva.db'}", ScriptedRecogniser(heard(HEARD))
    context = allowed(speaking)
    context.add_init_script(LISTEN_IN)
    page, port = context.new_page(), free_port()
    with serving(database, recogniser=recogniser, port=port) as site:
        start(page, site)
        record(page)
    expect(words(page)).to_contain_text("not on the server yet")
    with serving(database, recogniser=recogniser, port=port):
        press(page, "Done")
        said = page.locator("#voice-time").inner_text()
        expect(box(page)).to_have_value(HEARD)
        assert len(recogniser.answer) / 32_000 > int(said[-2:]) - 1
        assert recorded(page).startswith(recogniser.answer)
        context.close()


def test_what_was_said_while_the_server_was_away_survives_closing_the_page(
    speaking: Browser, tmp_path: Path
) -> None:
    database, recogniser = f"sqlite:///{tmp_path / 'viva.db'}", ScriptedRecogniser(heard(HEARD))
    context = allowed(speaking)
    page, port = context.new_page(), free_port()
    with serving(database, recogniser=recogniser, port=port) as site:
        url = start(page, site)
        record(page)
    expect(words(page)).to_contain_text("not on the server yet")
    until(page, lambda: page.evaluate(HELD) > 30)
    held = page.evaluate(HELD)
    page.close(run_before_unload=False)
    with serving(database, recogniser=recogniser, port=port):
        again = context.new_page()
        again.goto(url)
        expect(again.locator("#voice-time")).to_have_text(at_least(held // 10))
        press(again, "Done")
        expect(box(again)).to_have_value(HEARD)
        assert len(recogniser.answer) >= held * FRAME_BYTES
        context.close()


def test_what_was_left_in_the_browser_goes_out_before_what_is_said_next(
    speaking: Browser, tmp_path: Path
) -> None:
    database, recogniser = f"sqlite:///{tmp_path / 'viva.db'}", ScriptedRecogniser(heard(HEARD))
    context = allowed(speaking)
    context.add_init_script(LISTEN_IN)
    page, port = context.new_page(), free_port()
    with serving(database, recogniser=recogniser, port=port) as site:
        url = start(page, site)
        record(page)
    # More than the server has: what was sent and not acknowledged may be in both.
    stored = frames_in(next(tmp_path.glob("viva-audio/*/*.wav")))
    until(page, lambda: page.evaluate(AFTER_HELD) > stored)
    press(page, "Pause")
    left = recorded(page)[: FRAME_BYTES * page.evaluate(AFTER_HELD)]
    page.close(run_before_unload=False)
    with serving(database, recogniser=recogniser, port=port):
        again = context.new_page()
        again.add_init_script(SLOW_DATABASE)
        again.goto(url)
        press(again, "Go on")
        until(again, lambda: bool(again.evaluate("window.recorded.length >= 5")))
        press(again, "Done")
        again.evaluate("window.openDatabase()")
        expect(box(again)).to_have_value(HEARD)
        added = recogniser.answer.removeprefix(left)
        assert recogniser.answer.startswith(left)
        assert len(added) >= 5 * FRAME_BYTES
        assert recorded(again).startswith(added)
        context.close()


def test_an_answer_that_is_done_is_heard_though_the_server_was_busy_when_it_came_back(
    opened: Opened,
) -> None:
    page = opened()
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if len(sockets) != 2:
            socket.connect_to_server()

    page.route_web_socket(re.compile("/live"), connect)
    page.reload()
    record(page)
    sockets[0].close(code=1012)
    until(page, lambda: len(sockets) == 2)
    press(page, "Done")
    busy = {"type": "problem", "code": "store_unavailable", "message": "The database is busy."}
    sockets[1].send(json.dumps(busy))
    sockets[1].close(code=1013)
    expect(box(page)).to_have_value(HEARD)


SLOW_DATABASE = """
const open = IDBFactory.prototype.open;
const opening = new Promise((go) => { window.openDatabase = go; });
IDBFactory.prototype.open = function (...given) {
  const answer = {};
  void opening.then(() => {
    const asked = open.apply(this, given);
    for (const name of ["onupgradeneeded", "onsuccess", "onerror"])
      asked[name] = () => { answer.result = asked.result; answer[name]?.(); };
  });
  return answer;
};
"""
"""A script that lets nobody open a database before `window.openDatabase()`."""
AFTER_HELD = """new Promise((told) => {
  indexedDB.open("viva-sound").onsuccess = ({ target: { result: database } }) => {
    const asked = database.transaction("frames").objectStore("frames").getAllKeys();
    asked.onsuccess = () => {
      database.close();
      told(1 + Math.max(...asked.result.map((key) => key[2])));
    };
  };
})"""
"""The number after that of the last frame that the browser has kept."""
HELD = """new Promise((told) => {
  indexedDB.open("viva-sound").onsuccess = ({ target: { result: database } }) => {
    const asked = database.transaction("frames").objectStore("frames").count();
    asked.onsuccess = () => { database.close(); told(asked.result); };
  };
})"""
"""How many frames the browser has kept for the time when the server is back."""


def test_on_a_network_of_a_byte_a_second_nothing_that_was_said_is_lost(
    speaking: Browser, tmp_path: Path
) -> None:
    recogniser = ScriptedRecogniser(heard(HEARD))
    context = allowed(speaking)
    page = context.new_page()
    with (
        serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=recogniser) as site,
        slow_network(site) as network,
    ):
        start(page, network.url)
        record(page)
        network.slow.set()
        expect(words(page)).to_contain_text("not on the server yet")
        press(page, "Done")
        said = int(page.locator("#voice-time").inner_text()[-2:])
        network.heal()
        expect(box(page)).to_have_value(HEARD)
        assert len(recogniser.answer) / 32_000 > said - 1
        context.close()


def test_a_failed_recognition_says_why_and_can_be_tried_again(opened: Opened) -> None:
    page = opened(VoiceError("crashed", "The recogniser stopped. Try again."), heard(HEARD))
    record(page)
    press(page, "Done")
    expect(words(page)).to_contain_text("The recogniser stopped.")
    press(page, "Try again")
    expect(box(page)).to_have_value(HEARD)


def test_the_second_tab_has_the_microphone_and_the_first_lets_go_of_it(opened: Opened) -> None:
    page = opened()
    record(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(page.get_by_role("button", name="Take over here")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    press(other, "Go on")
    expect(other.get_by_role("button", name="Pause")).to_be_visible()
    press(other, "Done")
    expect(box(other)).to_have_value(HEARD)


def test_a_refused_microphone_is_explained_and_typing_goes_on(
    playwright: Playwright, chromium: str, tmp_path: Path
) -> None:
    recogniser = ScriptedRecogniser(HEARD)
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    with (
        hearing(playwright, chromium, None) as browser,
        serving(database, recogniser=recogniser) as site,
    ):
        page = _refusing(browser)
        start(page, site)
        press(page, "Speak")
        expect(words(page)).to_contain_text(re.compile("microphone", re.IGNORECASE))
        box(page).fill("Typed.")
        press(page, "Send")
        expect(turns(page).nth(1)).to_contain_text("Typed.")


def _refusing(browser: Browser) -> Page:
    context = browser.new_context()
    context.add_init_script("localStorage.setItem('viva:voice-checked', 'yes')")
    return context.new_page()


def test_an_unplugged_microphone_is_said_and_the_answer_stays(opened: Opened) -> None:
    page = opened()
    page.evaluate(STEAL_TRACK)
    record(page)
    page.evaluate("window.stolen.dispatchEvent(new Event('ended'))")
    expect(words(page)).to_contain_text("The microphone is gone")
    press(page, "Done")
    expect(box(page)).to_have_value(HEARD)


def test_a_muted_microphone_is_said(opened: Opened) -> None:
    page = opened()
    page.evaluate(STEAL_TRACK)
    record(page)
    page.evaluate("window.stolen.enabled = false")
    expect(words(page)).to_contain_text("gives no sound")


STEAL_TRACK = """() => {
  const devices = navigator.mediaDevices, ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wish) => {
    const stream = await ask(wish);
    window.stolen = stream.getAudioTracks()[0];
    return stream;
  };
}"""


def test_the_longest_answer_stops_by_itself_and_all_of_it_is_kept(opened: Opened) -> None:
    page = opened(longest=12)
    press(page, "Speak")
    expect(words(page)).to_contain_text("All of it is kept: press Done")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    press(page, "Done")
    expect(box(page)).to_have_value(HEARD)


def test_without_https_the_page_says_why_there_is_no_microphone(
    speaking: Browser, tmp_path: Path
) -> None:
    with serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=ScriptedRecogniser("x")) as site:
        context: BrowserContext = allowed(speaking)
        context.add_init_script(
            "Object.defineProperty(window, 'isSecureContext', {get: () => false})"
        )
        page = context.new_page()
        start(page, site)
        expect(words(page)).to_contain_text("over https")
        expect(words(page)).to_contain_text(f"ssh -L {urlsplit(site).port}")
        expect(page.get_by_role("button", name="Speak")).to_be_hidden()
        context.close()
