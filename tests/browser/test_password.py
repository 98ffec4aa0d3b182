"""Viva with a password: the login page in front, a way out behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pydantic import SecretStr

from interviewer.settings import Settings
from tests.browser.steps import say, serious, start, turns
from web.server import embedded

PASSWORD = "correct horse battery"


@pytest.fixture
def door(context: BrowserContext, tmp_path: Path) -> Iterator[tuple[Page, str]]:
    """A page before the login, and the site."""
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    settings = Settings(database_url=database, password=SecretStr(PASSWORD))
    with embedded(settings) as site:
        page = context.new_page()
        page.goto(f"{site}/questions/FDE-01")
        yield page, site
        page.close()


def log_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_the_right_password_leads_to_the_page_that_was_asked_for(door: tuple[Page, str]) -> None:
    page, site = door
    assert serious(page) == []
    log_in(page)
    expect(page).to_have_url(f"{site}/questions/FDE-01")


def test_a_wrong_password_is_said_and_lets_nobody_in(door: tuple[Page, str]) -> None:
    page, _ = door
    log_in(page, "wrong horse battery")
    expect(page.get_by_role("alert")).to_have_text("That is not the password.")
    assert serious(page) == []


def test_a_round_works_behind_the_password_and_logging_out_ends_it(door: tuple[Page, str]) -> None:
    page, site = door
    log_in(page)
    start(page, site)
    say(page, "I would batch them.")
    expect(turns(page)).to_have_count(3)
    page.goto(site)
    page.get_by_role("button", name="Log out").click()
    page.goto(site)
    expect(page.get_by_label("Password")).to_be_visible()
