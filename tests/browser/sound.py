"""A browser whose microphone plays a file, and sound to play."""

import math
import os
import struct
import wave
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Playwright

from tests.browser.steps import PATIENCE_MS

RATE = 48_000
FLAGS = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")


def write_wav(path: Path, samples: Sequence[int]) -> Path:
    """A mono file at the rate that fake microphones like."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return path


def tone(seconds: float, volume: int = 12_000) -> list[int]:
    """A hum, which a level meter takes for speech; volume 0 is silence."""
    return [round(volume * math.sin(at / 20)) for at in range(round(seconds * RATE))]


@contextmanager
def hearing(
    playwright: Playwright, chromium: str, wav: Path | None, *, once: bool = False
) -> Iterator[Browser]:
    """A Chromium whose microphone is this file, again and again or `once`; None: there is none."""
    flags = [*FLAGS] if wav else []
    if wav:
        flags.append(f"--use-file-for-fake-audio-capture={wav}{'%noloop' if once else ''}")
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    launched = playwright.chromium.launch(executable_path=chromium, args=flags)
    try:
        yield launched
    finally:
        launched.close()


def allowed(browser: Browser, *, checked: bool = True) -> BrowserContext:
    """A context that may use the microphone, and has done its check already."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 860}, locale="en-GB", permissions=["microphone"]
    )
    context.set_default_timeout(PATIENCE_MS)
    if checked:
        context.add_init_script("localStorage.setItem('viva:voice-checked', 'yes')")
    return context
