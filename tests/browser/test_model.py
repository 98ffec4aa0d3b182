"""A round with a model: streamed words, Stop, numbers that open their source, failure."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from interviewer.llm.protocol import LLM
from tests.browser.conftest import watch
from tests.browser.serving import DeadModel, SlowModel, serving
from tests.browser.steps import STRONG, box, finish, start, turns

Open = Callable[[LLM], tuple[Page, str]]
LONG = "Which part of that step grows " + "and grows " * 40 + "with every user?"
WITH_NUMBER = "You said 14.6 ms for a step; what does it become with twenty users?"


@pytest.fixture
def opened(context: BrowserContext, tmp_path: Path) -> Iterator[Open]:
    """Opens a page on a server with a given model; a script error fails the test."""
    faults: list[str] = []
    with ExitStack() as stack:

        def open_page(llm: LLM) -> tuple[Page, str]:
            site = stack.enter_context(serving(f"sqlite:///{tmp_path / 'viva.db'}", llm))
            page = context.new_page()
            stack.callback(page.close)
            watch(page, site, faults)
            return page, site

        yield open_page
    assert faults == []


def ask(page: Page, site: str) -> None:
    """Start a round and answer, so that the model has the floor."""
    start(page, site)
    box(page).fill(STRONG)
    page.get_by_role("button", name="Send").click()


def test_streamed_words_are_seen_but_not_announced(opened: Open) -> None:
    page, site = opened(SlowModel(LONG, Event()))
    ask(page, site)
    streaming = page.locator("#speech")
    expect(streaming).to_contain_text("Which part of that step")
    expect(streaming).to_have_attribute("aria-hidden", "true")
    expect(page.get_by_role("status")).to_have_text("The interviewer is speaking.")


def test_stop_keeps_what_was_heard_and_gives_the_floor_back(opened: Open) -> None:
    page, site = opened(SlowModel(LONG, Event()))
    ask(page, site)
    expect(page.locator("#speech")).to_contain_text("and grows")
    page.get_by_role("button", name="Stop").click()
    expect(turns(page).nth(2)).to_contain_text("stopped by you")
    expect(turns(page).nth(2)).to_contain_text("Which part of that step")
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    expect(page.locator("#speech")).to_be_hidden()


def test_escape_stops_the_interviewer_too(opened: Open) -> None:
    page, site = opened(SlowModel(LONG, Event()))
    ask(page, site)
    expect(page.locator("#speech")).to_contain_text("and grows")
    page.keyboard.press("Escape")
    expect(turns(page).nth(2)).to_contain_text("stopped by you")


def test_what_is_typed_while_the_interviewer_speaks_stays(opened: Open) -> None:
    page, site = opened(SlowModel(LONG, Event()))
    ask(page, site)
    expect(page.locator("#speech")).to_contain_text("and grows")
    box(page).fill("And another thing")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("interviewer has the floor")
    expect(box(page)).to_have_value("And another thing")


def test_fault_08_a_reload_in_mid_speech_shows_it_whole(opened: Open) -> None:
    text = "Which part of that step grows with every user, and which part does not?"
    go_on = Event()
    page, site = opened(SlowModel(text, go_on))
    ask(page, site)
    expect(page.locator("#speech")).to_contain_text("Which part")
    page.reload()
    go_on.set()
    expect(turns(page).nth(2)).to_contain_text(text)
    expect(page.locator("#speech")).to_be_hidden()


def test_a_grounded_number_opens_what_it_rests_on(opened: Open) -> None:
    page, site = opened(SlowModel(WITH_NUMBER))
    ask(page, site)
    turns(page).nth(2).get_by_role("button", name="14.6 ms").click()
    card = page.locator(".figure-card:popover-open")
    expect(card).to_contain_text("decode_roofline")
    expect(card).to_contain_text("14.58 ms")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)


def test_a_grounded_number_looks_the_same_after_a_reload(opened: Open) -> None:
    page, site = opened(SlowModel(WITH_NUMBER))
    ask(page, site)
    expect(turns(page)).to_have_count(3)
    chips = page.locator(".chip, .figure-card")
    before = chips.all_text_contents()
    page.reload()
    assert _squeezed(chips.all_text_contents()) == _squeezed(before)


def _squeezed(texts: list[str]) -> list[str]:
    return ["".join(text.split()) for text in texts]


def test_a_model_that_cannot_be_reached_is_named_and_the_round_goes_on(opened: Open) -> None:
    page, site = opened(DeadModel())
    start(page, site)
    expect(page.get_by_role("log")).to_contain_text("The card interviewer goes on from here.")
    expect(page.get_by_text("asked by the card interviewer")).to_be_visible()
    box(page).fill(STRONG)
    page.get_by_role("button", name="Send").click()
    asked = turns(page).filter(has=page.get_by_text("Interviewer", exact=True))
    expect(asked).to_have_count(2)
    finish(page)
