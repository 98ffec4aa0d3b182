"""A real Chromium, a real server on a free port with a database of its own, and a watch on both."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    sync_playwright,
)

from interviewer.dictations import Dictations
from interviewer.settings import Settings
from interviewer.voice.scripted import Script, ScriptedRecogniser
from tests.browser.serving import serving
from tests.browser.sound import allowed, hearing, tone, write_wav
from tests.browser.speaking import HEARD, Opened, heard
from tests.browser.steps import CARD, PATIENCE_MS, start
from web.server import embedded

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


# The scope ends with this folder: Playwright's loop must not outlive it, or other async tests fail.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def chromium(playwright: Playwright) -> str:
    """Where the browser is."""
    return _chromium(playwright)


@pytest.fixture(scope="package")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    launched = playwright.chromium.launch(executable_path=chromium, args=flags)
    yield launched
    launched.close()


def _chromium(playwright: Playwright) -> str:
    own = playwright.chromium.executable_path
    candidates = (os.environ.get("VIVA_CHROMIUM"), *map(shutil.which, NAMES), own)
    for candidate in candidates:
        if candidate and Path(candidate).exists():
            return candidate
    pytest.fail(
        "no Chromium: set VIVA_CHROMIUM to one, or install it with 'apt-get install chromium' "
        "or 'playwright install chromium'",
        pytrace=False,
    )


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with the card interviewer."""
    database = tmp_path_factory.mktemp("viva") / "viva.db"
    with embedded(Settings(database_url=f"sqlite:///{database}")) as url:
        yield url


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 860}, locale="en-GB")
    made.set_default_timeout(PATIENCE_MS)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, site: str) -> Iterator[Page]:
    """A page that must raise no error, break no policy and ask nobody but its own server."""
    opened = context.new_page()
    faults: list[str] = []
    watch(opened, site, faults)
    yield opened
    assert faults == []


def _is_fault(message: ConsoleMessage) -> bool:
    # Chromium's note that a page came with a status such as 422, which some pages have to.
    status = re.search(r"responded with a status of 4\d\d", message.text)
    return message.type == "error" and status is None


def watch(page: Page, site: str, faults: list[str]) -> None:
    """Note every script error, console error and request off the own origin."""
    own = urlsplit(site).netloc
    page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
    page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
    page.on(
        "request",
        lambda request: (
            faults.append(f"off-origin: {request.url}")
            if urlsplit(request.url).netloc not in ("", own)
            else None
        ),
    )


@pytest.fixture(scope="package")
def speaking(
    playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser whose microphone hums for ever."""
    wav = write_wav(tmp_path_factory.mktemp("sound") / "hum.wav", tone(2))
    with hearing(playwright, chromium, wav) as browser:
        yield browser


@pytest.fixture
def opened(speaking: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Opens a round on a server that hears by this script; the page must raise no error."""
    faults: list[str] = []
    ends: list[Callable[[], object]] = []

    def make(
        *script: Script, checked: bool = True, longest: int | None = None, card: str = CARD
    ) -> Page:
        recogniser = ScriptedRecogniser(*(script or (heard(HEARD),)), caption="")
        server = serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=recogniser)
        site = server.__enter__()
        context = allowed(speaking, checked=checked)
        page = context.new_page()
        watch(page, site, faults)
        if longest:
            # The bound of half an hour, brought near.
            monkeypatch.setattr(Dictations, "longest", longest)
        ends.extend((context.close, lambda: server.__exit__(None, None, None)))
        start(page, site, card)
        return page

    yield make
    for end in ends:
        end()
    assert faults == []
