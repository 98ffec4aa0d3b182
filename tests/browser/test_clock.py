"""The clock as a person sees it: by text as well as by colour, and the server's after a reload."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from interviewer.events import Event
from interviewer.migrations import migrate
from interviewer.store import EventStore
from tests.browser.serving import serving
from tests.browser.steps import say
from tests.web.scored import asked, started

ROUND = "0123456789abcdef"


def _asked() -> tuple[Event, ...]:
    return started(), asked()


def asked_before(database: str, seconds: int) -> None:
    """A round whose question, with 180 seconds for it, was asked so long ago."""
    migrate(database)
    store = EventStore(database)
    at = datetime.now(UTC) - timedelta(seconds=seconds)
    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor() as threads:
        threads.submit(lambda: asyncio.run(store.append(ROUND, 1, *_asked(), at=at))).result()
    store.close()


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
    with serving(database) as site:
        page = context.new_page()
        page.goto(f"{site}/rounds/{ROUND}")
        expect(page.locator("#clock-words")).to_have_text(words)
        expect(page.locator("#clock")).to_have_class(f"clock {level}")
        page.close()


def test_an_answer_past_the_limit_is_kept_whole_and_marked(
    context: BrowserContext, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    asked_before(database, 200)
    with serving(database) as site:
        page = context.new_page()
        page.goto(f"{site}/rounds/{ROUND}")
        expect(page.get_by_role("timer")).to_contain_text(
            re.compile(r"\+(0:[2-5]\d|[1-9]\d*:\d\d)")
        )
        say(page, "Late, but all of it.")
        entry = page.get_by_role("listitem").filter(has_text="Late, but all of it.")
        expect(entry).to_contain_text("s over time")
        page.close()
