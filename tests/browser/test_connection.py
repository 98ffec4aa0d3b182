"""A round whose server goes away and comes back: nothing that was typed or sent is lost."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from tests.browser.serving import serving
from tests.browser.steps import box, say, start, turns
from tests.servers import free_port


def test_what_was_sent_while_the_server_was_away_is_recorded_once(
    context: BrowserContext, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    page, port = context.new_page(), free_port()
    status = page.get_by_role("status")
    with serving(database, port=port) as site:
        start(page, site)
        say(page, "Before the cut.")
    expect(status).to_contain_text("Not connected")
    box(page).fill("During the cut.")
    page.get_by_role("button", name="Send").click()
    expect(box(page)).to_have_value("During the cut.")
    with serving(database, port=port):
        expect(turns(page).filter(has_text="During the cut.")).to_have_count(1)
        expect(box(page)).to_have_value("")
        expect(turns(page).filter(has_text="Before the cut.")).to_have_count(1)
        page.reload()
        expect(turns(page).filter(has_text="During the cut.")).to_have_count(1)
    page.close()


class Line:
    """The round's socket, on which what the server says can be held back and something added."""

    def __init__(self, page: Page) -> None:
        self.held: list[str | bytes] | None = None
        page.route_web_socket(re.compile("/live"), self._connect)

    def _connect(self, page: WebSocketRoute) -> None:
        self._page = page
        page.connect_to_server().on_message(self._pass_on)

    def _pass_on(self, frame: str | bytes) -> None:
        if self.held is None:
            self._page.send(frame)
        else:
            self.held.append(frame)

    def add(self, **frame: object) -> None:
        self._page.send(json.dumps(frame))

    def let_go(self) -> None:
        for frame in self.held or ():
            self._page.send(frame)
        self.held = None


@pytest.mark.parametrize("code", ["take_refused", "store_unavailable"])
def test_a_problem_with_something_else_leaves_an_answer_on_its_way(
    page: Page, site: str, code: str
) -> None:
    line = Line(page)
    start(page, site)
    line.held = []
    box(page).fill("Sent once.")
    page.get_by_role("button", name="Send").click()
    line.add(type="problem", code=code, message="Something else was refused.")
    expect(page.get_by_text("Something else was refused.")).to_be_visible()
    expect(box(page)).not_to_be_editable()
    line.let_go()
    expect(turns(page).filter(has_text="Sent once.")).to_have_count(1)
    expect(box(page)).to_have_value("")


def test_an_answer_that_the_server_could_not_read_can_be_changed(page: Page, site: str) -> None:
    line = Line(page)
    start(page, site)
    line.held = []
    box(page).fill("Unreadable.")
    page.get_by_role("button", name="Send").click()
    line.add(type="problem", code="bad_frame", message="The frame was refused.")
    expect(page.get_by_text("The frame was refused.")).to_be_visible()
    expect(box(page)).to_be_editable()
    expect(box(page)).to_have_value("Unreadable.")


def test_half_of_a_character_does_not_keep_an_answer_from_being_sent(page: Page, site: str) -> None:
    start(page, site)
    box(page).evaluate("(box) => { box.value = 'The p99.\\ud83d'; }")
    page.get_by_role("button", name="Send").click()
    expect(turns(page).nth(1)).to_contain_text("The p99.")
    expect(box(page)).to_have_value("")


def test_a_text_that_waits_to_be_sent_survives_closing_the_page(
    context: BrowserContext, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    page, port = context.new_page(), free_port()
    with serving(database, port=port) as site:
        url = start(page, site)
    expect(page.get_by_role("status")).to_contain_text("Not connected")
    box(page).fill("Sent into the void.")
    page.get_by_role("button", name="Send").click()
    page.close()
    with serving(database, port=port):
        again = context.new_page()
        again.goto(url)
        expect(turns(again).filter(has_text="Sent into the void.")).to_have_count(1)
        expect(box(again)).to_have_value("")
        again.close()
