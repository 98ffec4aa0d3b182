"""A company's loop as a person goes through it, with the keyboard alone."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import STRONG, box, on_a_phone, say, serious

ROUND = re.compile(r"/rounds/[0-9a-f]+$")
LOOP = re.compile(r"/loops/[0-9a-f]+$")


def press(page: Page, name: str) -> None:
    """Press the button of this name by the keyboard."""
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")


def answer_and_finish(page: Page) -> None:
    page.wait_for_url(ROUND)
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    say(page, STRONG)
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    page.keyboard.press("Escape")
    box(page).blur()
    page.keyboard.press("f")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Read the scorecard")).to_be_visible()
    page.get_by_role("link", name="Go on with the loop").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(LOOP)


def test_a_loop_from_its_choice_to_its_summary(page: Page, site: str) -> None:
    page.goto(f"{site}/loops")
    assert serious(page) == []
    press(page, "Practise this loop of Snap")
    page.wait_for_url(LOOP)
    press(page, "Begin: Recruiter screen")
    answer_and_finish(page)
    expect(page.get_by_text("Done: Recruiter screen. Take a break")).to_be_visible()
    assert serious(page) == []
    press(page, "Begin: Initial interview")
    answer_and_finish(page)
    press(page, "Next question")
    answer_and_finish(page)
    press(page, "End the loop here")
    expect(page.get_by_role("heading", name="Summary")).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text("Trade-off")
    expect(page.get_by_text("You left this loop.")).to_be_visible()
    assert serious(page) == []


def test_a_loop_fits_a_phone_in_the_dark(page: Page, site: str) -> None:
    on_a_phone(page)
    page.emulate_media(color_scheme="dark")
    page.goto(f"{site}/loops")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    assert serious(page) == []
