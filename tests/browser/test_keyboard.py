"""Everything can be done with the keys alone; single letters can be switched off."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import box, start, turns


def test_a_whole_round_can_be_played_with_the_keyboard(page: Page, site: str) -> None:
    page.goto(site)
    _tab_to(page, "Start a round")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/rounds/[0-9a-f]+$"))
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    expect(box(page)).to_be_focused()
    page.keyboard.type("I would batch them.")
    page.keyboard.press("Control+Enter")
    expect(turns(page)).to_have_count(3)
    # Until then Escape is for the interviewer, and leaves the focus in the box.
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.press("Enter")
    link = page.get_by_role("link", name="Read the scorecard")
    expect(link).to_be_visible()
    _tab_to(page, "Read the scorecard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article")).to_have_count(4)


def _tab_to(page: Page, name: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(name):
            return
    raise AssertionError(f"no Tab reaches {name!r}")


def test_an_answer_that_is_typed_at_once_is_no_command(page: Page, site: str) -> None:
    start(page, site)
    page.keyboard.type("memory moves first")
    expect(box(page)).to_have_value("memory moves first")
    expect(turns(page)).to_have_count(1)


def test_a_leads_back_to_the_answer_box(page: Page, site: str) -> None:
    start(page, site)
    page.keyboard.press("Escape")
    expect(box(page)).not_to_be_focused()
    page.keyboard.press("a")
    expect(box(page)).to_be_focused()


def test_letters_typed_into_the_answer_are_no_commands(page: Page, site: str) -> None:
    start(page, site)
    box(page).press_sequentially("move tokens fast? a")
    expect(box(page)).to_have_value("move tokens fast? a")
    expect(turns(page)).to_have_count(1)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_single_letter_keys_can_be_switched_off_and_stay_off(page: Page, site: str) -> None:
    start(page, site)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_label("Single-letter keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    page.reload()
    expect(box(page)).to_be_focused()
    box(page).blur()
    page.keyboard.press("m")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(turns(page)).to_have_count(1)


def test_the_focus_is_seen(page: Page, site: str) -> None:
    page.goto(site)
    _tab_to(page, "Start a round")
    width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert width == "3px"


def test_focus_never_moves_by_itself(page: Page, site: str) -> None:
    start(page, site)
    box(page).fill("I would batch them.")
    box(page).press("Control+Enter")
    expect(turns(page)).to_have_count(3)
    expect(box(page)).to_be_focused()
