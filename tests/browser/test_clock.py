"""The clock as a person sees it: by text as well as by colour, and the server's after a reload."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from interviewer.events import Event
from interviewer.migrations import migrate
from interviewer.store import EventStore
from tests.browser.serving import serving
from tests.browser.steps import say
from tests.web.scored import asked, started

ROUND = "0123456789abcdef"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
"""Where the clocks of the server and of the page stand still, however long a test takes."""


def _asked() -> tuple[Event, ...]:
    return started(), asked()


def asked_before(database: str, seconds: int) -> None:
    """A round whose question, with 180 seconds for it, was asked so long ago."""
    migrate(database)
    store = EventStore(database)
    at = NOW - timedelta(seconds=seconds)
    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor() as threads:
        threads.submit(lambda: asyncio.run(store.append(ROUND, 1, *_asked(), at=at))).result()
    store.close()


def opened(context: BrowserContext, site: str) -> Page:
    """The round on a page whose clock stands still too."""
    page = context.new_page()
    # A page that is still blank lets its clock run, and none can be stopped in its past.
    page.clock.install(time=NOW - timedelta(hours=1))
    page.clock.pause_at(NOW)
    page.goto(f"{site}/rounds/{ROUND}")
    return page


@pytest.mark.parametrize(
    ("seconds", "level", "words"),
    [
        (10, "", "of 3:00"),
        (100, "half", "Half of the time is left"),
        (151, "thirty", "30 seconds left"),
        (200, "over", "over time"),
    ],
)
def test_the_time_left_is_said_in_words_and_shown_in_colour(
    context: BrowserContext, tmp_path: Path, seconds: int, level: str, words: str
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    asked_before(database, seconds)
    with serving(database, now=lambda: NOW) as site:
        page = opened(context, site)
        expect(page.locator("#clock-words")).to_have_text(words)
        expect(page.locator("#clock")).to_have_class(f"clock {level}")
        page.close()


def test_an_answer_past_the_limit_is_kept_whole_and_marked(
    context: BrowserContext, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    asked_before(database, 200)
    with serving(database, now=lambda: NOW) as site:
        page = opened(context, site)
        expect(page.get_by_role("timer")).to_have_text("+0:20")
        say(page, "Late, but all of it.")
        entry = page.get_by_role("listitem").filter(has_text="Late, but all of it.")
        expect(entry).to_contain_text("20 s over time")
        page.close()
