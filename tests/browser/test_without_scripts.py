"""A round in a browser that runs no scripts: plain forms do everything."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.steps import STRONG, box, turns


@pytest.fixture
def plain(browser: Browser, site: str) -> Iterator[Page]:
    """A page without scripts, in a round."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/questions/FDE-01")
    page.get_by_role("button", name="Start a round").click()
    yield page
    context.close()


def test_an_answer_is_sent_and_followed_up(plain: Page) -> None:
    box(plain).fill(STRONG)
    plain.get_by_role("button", name="Send").click()
    expect(turns(plain).nth(1)).to_contain_text("batch continuously")
    expect(turns(plain).nth(2)).to_contain_text("Interviewer")
    expect(box(plain)).to_have_value("")


def test_a_round_is_finished_and_scored(plain: Page) -> None:
    box(plain).fill(STRONG)
    plain.get_by_role("button", name="Send").click()
    plain.get_by_role("button", name="Finish").click()
    plain.get_by_role("link", name="scor").click()
    expect(plain.get_by_role("article")).to_have_count(4)


def test_too_long_an_answer_comes_back_in_its_box(plain: Page) -> None:
    long = "y" * 20_001
    box(plain).fill(long)
    plain.get_by_role("button", name="Send").click()
    expect(plain.get_by_role("alert")).to_contain_text("20,000")
    expect(box(plain)).to_have_value(long)


def test_nothing_is_offered_that_needs_scripts(plain: Page) -> None:
    expect(plain.get_by_role("button", name="Stop")).to_have_count(0)
    expect(plain.get_by_role("button", name="Keys")).to_have_count(0)
