"""What a person does in the browser, by role and label."""

import re
from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Locator, Page, expect

PATIENCE_MS = 60_000
"""For what a page is to show: a busy machine shows it late, and only a fault waits so long."""
expect.set_options(timeout=PATIENCE_MS)
CARD = "FDE-01"
STRONG = (
    "I would batch continuously, because a decode step is bound by reading the weights: 70 GB over "
    "4.8 TB/s is 14.6 ms for one user or for twenty. The trade-off is latency per user, so I stop "
    "where a step passes 40 ms. Next I would replay real traffic and watch the p99 of the step."
)


def start(page: Page, site: str, card: str = CARD) -> str:
    """Start a round from the card's page; its URL."""
    page.goto(f"{site}/questions/{card}")
    greeted: list[str | bytes] = []
    page.once("websocket", lambda socket: socket.on("framereceived", lambda f: greeted.append(f)))
    page.get_by_role("button", name="Start a round").click()
    page.wait_for_url(re.compile(r"/rounds/[0-9a-f]+$"))
    expect(turns(page).first).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    # The page as it was served may say so too, before its socket is there to take what is pressed.
    until(page, lambda: bool(greeted))
    return page.url


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Let the page go on until the condition holds."""
    for _ in range(PATIENCE_MS // 50):
        if condition():
            return
        page.wait_for_timeout(50)
    assert condition()


def box(page: Page) -> Locator:
    """The answer box."""
    return page.get_by_label("Your answer")


def turns(page: Page) -> Locator:
    """The entries of the conversation."""
    return page.get_by_role("log").get_by_role("listitem")


def say(page: Page, text: str) -> None:
    """Type an answer, send it, and wait until it is recorded and replied to."""
    box(page).fill(text)
    page.get_by_role("button", name="Send").click()
    expect(box(page)).to_have_value("")


def finish(page: Page) -> None:
    """End the round and wait for its scorecard's link."""
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="Finish and score").click()
    expect(page.get_by_role("link", name="Read the scorecard")).to_be_visible()


def scored(page: Page, site: str, text: str = STRONG) -> str:
    """Play a round with one answer and open its scorecard; its URL."""
    start(page, site)
    say(page, text)
    finish(page)
    page.get_by_role("link", name="Read the scorecard").click()
    page.wait_for_url(re.compile(r"/scorecard$"))
    return page.url


def on_a_phone(page: Page) -> None:
    """Make the page as narrow as a phone."""
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, lambda: bool(page.evaluate("innerWidth") == 390))


def serious(page: Page) -> list[str]:
    """What axe finds on a page, from moderate upwards."""
    page.wait_for_load_state()  # What is sought may be there before all of the page is.
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['help']}: {[node['html'][:120] for node in fault['nodes'][:3]]}"
        for fault in found
        if fault["impact"] in ("serious", "critical", "moderate")
    ]
