"""A synthetic voice speaks into Chromium's microphone; Whisper hears it; the scorecard shows it."""

import re
import wave
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from evals.voice.voices import MissingPart, speak
from evals.voice.weights import base_model
from interviewer.quantities import find_quantities
from interviewer.settings import Settings
from tests.browser.conftest import watch
from tests.browser.sound import allowed, hearing
from tests.browser.speaking import LISTEN_IN, at_least, recorded
from tests.browser.steps import PATIENCE_MS, box, finish, serious, start, turns, until
from web.server import embedded

pytestmark = pytest.mark.slow
ANSWER = (
    "Um, I would batch continuously, because a decode step reads all weights. [1.2] So, seventy "
    "gigabytes over four point eight terabytes per second is fourteen point six milliseconds."
)
PAUSE = 20
"""Frames without sound: longer than the answer's own pause."""
MEANT = {70e9, 0.0146}


def test_a_wav_is_spoken_into_a_round_and_ends_in_a_scorecard_with_a_timeline(
    playwright: Playwright, chromium: str, tmp_path: Path
) -> None:
    try:
        clip, model = speak("joe", ANSWER), base_model()
    except MissingPart as error:
        pytest.skip(str(error))
    sound = tmp_path / "answer.wav"
    with wave.open(str(sound), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(clip.pcm)
    settings = Settings(
        database_url=f"sqlite:///{tmp_path / 'viva.db'}", voice="whisper", voice_model=str(model)
    )
    faults: list[str] = []
    with (
        hearing(playwright, chromium, sound, once=True) as browser,
        embedded(settings) as site,
    ):
        context = allowed(browser)
        context.add_init_script("localStorage.setItem('viva:keep', 'yes')")
        context.add_init_script(LISTEN_IN)
        page = context.new_page()
        watch(page, site, faults)
        start(page, site)
        page.get_by_role("button", name="Speak").click()
        expect(page.locator("#voice-time")).to_have_text(at_least(len(clip.pcm) // 32_000))
        # On a busy machine sound comes with gaps, and so ends later than it is long.
        until(page, lambda: not recorded(page, last=PAUSE).strip(b"\0"))
        page.get_by_role("button", name="Done").click()
        heading = page.get_by_role("heading", name="What was heard")
        expect(heading).to_be_visible(timeout=5 * PATIENCE_MS)  # Seconds of both cores' work.
        said = box(page).input_value()
        assert {round(q.base, 4) for q in find_quantities(said)} >= MEANT
        assert "um" in said.lower()
        page.get_by_role("button", name="Send").click()
        expect(turns(page)).to_have_count(3)
        finish(page)
        page.get_by_role("link", name="Read the scorecard").click()
        expect(page.get_by_role("img", name="Timeline of answer 1")).to_be_visible()
        expect(page.locator("#numbers ~ ul").get_by_text("14.6").first).to_be_visible()
        assert serious(page) == []
        page.locator("figure.timeline svg").first.click(position={"x": 200, "y": 55})
        expect(page.locator("figure.timeline")).to_have_class(re.compile("plays"))
        context.close()
    assert faults == []
