"""Attempts and scorecards side by side in the browser, by keys alone."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.steps import STRONG, on_a_phone, scored, serious

WEAK = "I would batch them. It depends on many things, and I am not sure about the number."


@pytest.fixture(scope="module")
def played(browser: Browser, site: str) -> str:
    """The scorecard of the newest of two attempts at one question, the second one better."""
    page = browser.new_page()
    scored(page, site, WEAK)
    url = scored(page, site, STRONG)
    page.close()
    return url


def tab_to(page: Page, name: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(name):
            return
    raise AssertionError(f"no Tab reaches {name!r}")


def test_two_attempts_are_compared_from_the_question_by_keys_alone(
    page: Page, site: str, played: str
) -> None:
    page.goto(f"{site}/questions/FDE-01")
    tab_to(page, "Compare your attempts")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/attempts$"))
    table = page.get_by_role("region", name="Both attempts")
    expect(table.get_by_role("row", name=re.compile("^Number"))).to_be_visible()
    expect(table.get_by_text("too few to tell").first).to_be_visible()
    expect(table.get_by_text("70 GB over 4.8 TB/s").first).to_be_visible()


def test_a_round_is_scored_again_and_both_scorecards_are_shown(page: Page, played: str) -> None:
    page.goto(played)
    page.get_by_role("link", name="Score it again").click()
    page.get_by_role("button", name="Score again").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name=re.compile("^rule"))).to_have_count(2)
    expect(page.get_by_role("rowheader", name="Trade-off")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_either_comparison(
    page: Page, site: str, played: str, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for url in (f"{site}/questions/FDE-01/attempts", f"{played}s"):
        page.set_viewport_size({"width": 1280, "height": 860})
        page.goto(url)
        assert serious(page) == []
        on_a_phone(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
