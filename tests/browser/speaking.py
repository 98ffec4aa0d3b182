"""What a person does who speaks an answer, and what the recogniser makes of it."""

import re
from array import array
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from interviewer.heard import Heard, HeardWord, Span
from tests.browser.steps import until

HEARD = "I would um batch them. Because 70 GB over 4.8 TB/s is 14.6 ms. Next I wash the p99."
Opened = Callable[..., Page]
"""Opens a round on a server that hears by a script."""


LISTEN_IN = """
const Plain = window.AudioWorkletNode;
window.recorded = [];
window.AudioWorkletNode = class extends Plain {
  constructor(...given) {
    super(...given);
    this.port.addEventListener("message", (message) => window.recorded.push(message.data.join()));
  }
};
"""
"""A script that notes each frame as the microphone gives it."""


def recorded(page: Page, last: int = 0) -> bytes:
    """What the microphone gave to a page that listens in, or the last frames of it; on a busy
    machine, with gaps.
    """
    frames = page.evaluate(f"window.recorded.slice({-last}).join()")
    return array("h", map(int, frames.split(","))).tobytes()


def heard(text: str, seconds: float = 3.0, doubtful: str = "wash") -> Heard:
    words = text.split()
    step = seconds / len(words)
    return Heard(
        text=text,
        words=tuple(
            HeardWord(
                text=word,
                start=n * step,
                end=(n + 1) * step,
                confidence=0.2 if word == doubtful else 0.9,
            )
            for n, word in enumerate(words)
        ),
        speech=(Span(start=0, end=seconds),),
        seconds=seconds,
        recogniser="scripted",
    )


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def words(page: Page) -> Locator:
    """What the panel says."""
    return page.locator("#voice-words")


def record(page: Page) -> None:
    press(page, "Speak")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#voice-time")).to_have_text(at_least(1))


def at_least(seconds: int) -> re.Pattern[str]:
    """The length of an answer from so many seconds on: on a busy machine a look comes late."""
    tens, ones = divmod(seconds, 10)
    return re.compile(rf"^(0:{tens}[{ones}-9]|0:[{tens + 1}-5]\d|[1-9]\d*:\d\d)$")


def becomes(page: Page, expression: str, wanted: object = True) -> None:
    """Wait for a value; the page's policy forbids Playwright's own way of waiting for one."""
    until(page, lambda: bool(page.evaluate(expression) == wanted))


def spoken(page: Page) -> None:
    record(page)
    press(page, "Done")
    expect(page.get_by_role("heading", name="What was heard")).to_be_visible()
