"""The seam: what a recogniser is asked, its prompt, and the scripted one."""

import pytest

from interviewer.errors import VoiceError
from interviewer.voice.prompt import card_terms, prompt_for
from interviewer.voice.recogniser import Recogniser
from interviewer.voice.scripted import ScriptedRecogniser
from questions.library import CARDS, load

SECOND = b"\x01\x01" * 16_000


def test_a_prompt_has_fillers_and_the_terms_of_its_card() -> None:
    prompt = prompt_for(load(CARDS).get("INF-001"))
    assert prompt.startswith("Um, so, uh, you know,")
    assert {"H200", "FP8", "TB/s"} <= set(card_terms(load(CARDS).get("INF-001")))
    assert "FP8" in prompt
    assert "H200" in prompt


def test_a_prompt_fits_into_what_a_recogniser_reads_for_every_card() -> None:
    # 223 tokens; a name is some three tokens, five letters a token at the very least
    assert max(len(prompt_for(card)) for card in load(CARDS).cards) < 450


async def test_a_scripted_recogniser_spreads_its_words_over_the_audio() -> None:
    recogniser: Recogniser = ScriptedRecogniser("forty tokens per second")
    told: list[float] = []
    heard = await recogniser.transcribe(SECOND * 2, "prompt", tell=told.append)
    assert [(word.text, word.start, word.end) for word in heard.words] == [
        ("forty", 0.0, 0.5),
        ("tokens", 0.5, 1.0),
        ("per", 1.0, 1.5),
        ("second", 1.5, 2.0),
    ]
    assert heard.seconds == 2.0
    assert told == [0.5, 1.0]


async def test_a_scripted_recogniser_fails_as_told() -> None:
    recogniser = ScriptedRecogniser(VoiceError("crashed", "it ended"))
    with pytest.raises(VoiceError, match="it ended"):
        await recogniser.transcribe(SECOND)


async def test_silence_is_no_speech() -> None:
    recogniser = ScriptedRecogniser()
    spans = await recogniser.speech(b"\0" * 32_000 + SECOND + b"\0" * 32_000)
    assert [(span.start, span.end) for span in spans] == [(1.0, 2.0)]
    assert await recogniser.speech(b"\0" * 32_000) == ()


async def test_a_caption_of_its_own_leaves_the_script_to_the_answers() -> None:
    recogniser = ScriptedRecogniser("the first answer", "the second", caption="so far")
    assert (await recogniser.transcribe(SECOND, caption=True)).text == "so far"
    assert (await recogniser.transcribe(SECOND)).text == "the first answer"
