"""Looking back in the browser: searching, playing a round back, marking a turn."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.steps import on_a_phone, scored, serious

WORDS = (
    "I would page the cache, because contiguous slots waste most of it: 320 KiB a token over 8K "
    "is 2.7 GB. The trade-off is a lookup per block. Next I would measure zyzzyva under load."
)


@pytest.fixture(scope="module")
def played(browser: Browser, site: str) -> str:
    """The address of a scored round whose answer holds a word of its own."""
    page = browser.new_page()
    url = scored(page, site, WORDS)
    page.close()
    return url.removesuffix("/scorecard")


def test_a_word_that_was_said_is_found_by_keys_alone(page: Page, site: str, played: str) -> None:
    page.goto(f"{site}/rounds")
    page.get_by_role("searchbox").focus()
    page.keyboard.type("zyzzyva")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"q=zyzzyva"))
    expect(page.get_by_role("status").first).to_contain_text("1 round")
    expect(page.locator("mark")).to_have_text("zyzzyva")
    hit = page.get_by_role("link", name="Turn 2")
    hit.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{played}/playback#turn-2")
    expect(page.locator("#turn-2")).to_contain_text("zyzzyva")


def test_filters_stay_in_the_address_and_in_their_boxes(page: Page, site: str, played: str) -> None:
    page.goto(f"{site}/rounds")
    page.get_by_text("Filters").click()
    page.get_by_label("Mode", exact=True).select_option("typed")
    page.get_by_label("From").fill("2020-01-01")
    page.get_by_role("button", name="Find").click()
    page.wait_for_url(re.compile(r"mode=typed.*since=2020-01-01"))
    page.reload()
    expect(page.get_by_label("Mode", exact=True)).to_have_value("typed")
    expect(page.get_by_label("From")).to_have_value("2020-01-01")


def test_a_round_plays_back_turn_by_turn(page: Page, played: str) -> None:
    page.goto(f"{played}/playback")
    moments = page.locator("#moments > li:visible")
    everything = moments.count()
    place = page.get_by_label("Place")
    place.focus()
    page.keyboard.press("Home")
    expect(moments).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(moments).to_have_count(2)
    page.get_by_label("Speed").select_option("16")
    page.get_by_role("button", name="Play").click()
    expect(moments).to_have_count(everything)
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_without_a_choice_the_whole_round_is_shown(page: Page, played: str) -> None:
    page.goto(f"{played}/playback")
    expect(page.get_by_text("zyzzyva")).to_be_visible()
    expect(page.locator("mark").first).to_be_visible()


def test_a_bookmark_and_a_note_are_kept(page: Page, played: str) -> None:
    page.goto(f"{played}/playback")
    turn = page.locator("#turn-2")
    turn.get_by_text("Bookmark or note").click()
    turn.get_by_label("Bookmark").check()
    turn.get_by_label("Note").fill("say it in one breath")
    turn.get_by_role("button", name="Keep").click()
    page.wait_for_url(re.compile(r"#turn-2$"))
    expect(turn.locator(".note-shown")).to_have_text("say it in one breath")
    expect(turn.locator(".flagged")).to_have_text("bookmarked")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_playback(page: Page, played: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{played}/playback")
    assert serious(page) == []
    on_a_phone(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
