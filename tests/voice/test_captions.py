"""Captions: a stretch is shown when a pause ends it, and silence is measured."""

import asyncio

import pytest

from interviewer.errors import VoiceError
from interviewer.voice.captions import LONGEST_S, Captions
from interviewer.voice.scripted import ScriptedRecogniser
from tests.patience import PATIENCE_S

SECOND = b"\1\1" * 16_000
SILENCE = b"\0\0" * 16_000


def captions(*script: str | VoiceError) -> tuple[Captions, ScriptedRecogniser, list[str]]:
    shown: list[str] = []
    recogniser = ScriptedRecogniser(*script)
    return Captions(recogniser, "Um, FP8", shown.append), recogniser, shown


async def test_a_pause_shows_what_was_said_before_it() -> None:
    live, recogniser, shown = captions("forty tokens", "per second")
    live.push(SECOND * 2)
    await live.look()
    assert shown == []
    live.push(SILENCE)
    await live.look()
    assert shown == ["forty tokens"]
    live.push(SECOND + SILENCE)
    await live.look()
    assert shown == ["forty tokens", "per second"]
    assert all(asked.caption and asked.prompt == "Um, FP8" for asked in recogniser.asked)


async def test_silence_is_counted_from_the_last_speech() -> None:
    live, _, _ = captions("forty tokens")
    live.push(SILENCE * 3)
    await live.look()
    assert live.silent_s == 0.0
    live.push(SECOND + SILENCE * 2)
    await live.look()
    assert live.silent_s == pytest.approx(2, abs=0.01)
    live.push(SILENCE * 3)
    await live.look()
    assert live.silent_s == pytest.approx(5, abs=0.01)
    live.push(SECOND)
    await live.look()
    assert live.silent_s == pytest.approx(0, abs=0.01)


async def test_speech_without_a_pause_is_shown_in_the_end() -> None:
    live, recogniser, shown = captions("a long story")
    live.push(SECOND * (round(LONGEST_S) + 1))
    await live.look()
    assert shown == ["a long story"]
    assert len(recogniser.asked[0].pcm) == len(SECOND) * (round(LONGEST_S) + 1)


async def test_a_busy_recogniser_shows_it_later() -> None:
    live, _, shown = captions(VoiceError("busy", "busy"), "forty tokens")
    running = asyncio.create_task(live.run())
    for _ in range(2):
        live.push(SECOND + SILENCE)
        for _ in range(10):
            await asyncio.sleep(0)
    running.cancel()
    assert shown == ["forty tokens"]


async def test_a_recogniser_that_fails_ends_the_captions_with_its_reason() -> None:
    live, _, shown = captions(VoiceError("unavailable", "no model"))
    live.push(SECOND + SILENCE)
    async with asyncio.timeout(PATIENCE_S):
        await live.run()
    assert (live.problem, shown) == ("no model", [])


async def test_what_nobody_looks_at_is_not_held_for_ever() -> None:
    live, recogniser, _ = captions("text")
    for _ in range(100):
        live.push(SECOND)
    await live.look()
    assert len(recogniser.asked[0].pcm) <= 60 * len(SECOND)
