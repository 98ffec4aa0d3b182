"""Delivery: figures worked out by hand, and silence where there is too little to tell."""

import pytest

from interviewer.heard import Heard, HeardWord, Span
from interviewer.voice.delivery import delivery
from interviewer.voice.fillers import find_fillers
from interviewer.voice.spoken_words import count_spoken_words

SAID = (
    "Um, I would cache the keys because memory decides. You know, it is 320 KiB per token, "
    "uh, so twenty users fit on one card today."
)


def heard(text: str = SAID, speech: tuple[tuple[float, float], ...] = ()) -> Heard:
    """A word every half second, and pauses as given."""
    words = tuple(
        HeardWord(text=word, start=at / 2, end=at / 2 + 0.4, confidence=0.9)
        for at, word in enumerate(text.split())
    )
    spans = speech or ((0.0, len(words) / 2),)
    return Heard(
        text=text,
        words=words,
        speech=tuple(Span(start=start, end=end) for start, end in spans),
        seconds=len(words) / 2,
        recogniser="scripted",
    )


def test_rates_count_words_as_said_over_speech_and_over_wall_time() -> None:
    # 26 as written, of which 2 are hard fillers; '320' is three words (three hundred twenty)
    found = delivery(heard(speech=((1.0, 4.5), (6.0, 13.0))))
    assert found is not None
    assert found.words == 26
    assert found.rate_speech_wpm == pytest.approx(60 * 26 / 10.5)
    assert found.rate_wall_wpm == pytest.approx(60 * 26 / 12)


def test_fillers_are_verbatim_with_time_and_kind() -> None:
    found = delivery(heard())
    assert found is not None
    assert [(f.text, f.kind, f.said and f.said.start) for f in found.fillers] == [
        ("Um", "hard", 0.0),
        ("You know", "soft", 4.5),
        ("uh", "hard", 8.5),
    ]
    assert found.hard_per_100 == pytest.approx(200 / 26)
    assert found.soft_per_100 == pytest.approx(100 / 26)


def test_pauses_come_from_the_speech_spans_with_their_place() -> None:
    found = delivery(heard(speech=((0.0, 4.4), (6.5, 8.9), (9.1, 10.4), (11.0, 13.5))))
    assert found is not None
    assert [(p.start, p.end, p.place, p.after) for p in found.pauses] == [
        (4.4, 6.5, "between sentences", "decides."),
        (10.4, 11.0, "within a sentence", "users"),
    ]
    assert found.longest_pause_s == pytest.approx(2.1)
    assert found.long_pauses == 1
    assert found.pause_share == pytest.approx(2.7 / 13.5)


def test_first_claim_and_first_number_are_when_their_words_begin() -> None:
    found = delivery(heard(), limit_s=52)
    assert found is not None
    assert found.first_claim_s == 0.5  # "I would"
    assert found.first_number_s == 6.5  # "320 KiB per token"
    assert found.limit_share == pytest.approx(0.25)


def test_without_word_times_there_are_still_rates_and_pauses() -> None:
    found = delivery(heard(speech=((0.0, 5.0), (6.0, 13.0))).model_copy(update={"words": ()}))
    assert found is not None
    assert found.first_claim_s is None
    assert [pause.place for pause in found.pauses] == ["unknown"]
    assert found.fillers[0].said is None


@pytest.mark.parametrize(
    "too_little",
    [
        heard("I would cache the keys and stop there now."),
        heard().model_copy(update={"seconds": 9.9}),
        heard().model_copy(update={"speech": ()}),
        Heard(),
    ],
    ids=["few words", "short", "no speech", "nothing"],
)
def test_too_little_says_nothing(too_little: Heard) -> None:
    assert delivery(too_little) is None


@pytest.mark.parametrize(
    ("text", "tip"),
    [
        (
            "We had " + "some background on it " * 8 + "so I would cache it.",
            "Say your answer first",
        ),
        (SAID + " um, uh," * 6, "silent pause"),
        ("I would cache the keys because memory decides, " * 4, "Nothing stands out"),
    ],
    ids=["late claim", "fillers", "plain"],
)
def test_there_is_exactly_one_tip(text: str, tip: str) -> None:
    found = delivery(heard(text))
    assert found is not None
    assert tip in found.tip.text


def test_bands_are_published_and_have_their_source() -> None:
    found = delivery(heard())
    assert found is not None
    assert {band.measure for band in found.bands} == {"rate_wall_wpm", "hard_per_100"}
    assert all("20" in band.source for band in found.bands)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("128", 4),  # one hundred twenty eight
        ("14.6 ms", 4),  # fourteen point six milliseconds
        ("1,979", 6),  # one thousand nine hundred seventy nine
        ("2,000,000", 2),
        ("0.07", 4),
        ("99th", 2),
        ("4.8 TB/s", 6),  # four point eight terabytes per second
        ("80%", 2),
        ("$7", 2),
        ("don't", 1),
        ("H200", 3),
        ("", 0),
    ],
)
def test_numbers_are_counted_as_they_are_said(text: str, count: int) -> None:
    assert count_spoken_words(text) == count


def test_real_words_are_no_fillers() -> None:
    text = "I like the hummus, a human error, and ah yes; it is, like, erm, fine. Ehm. Mm-hmm"
    hard = [found.text for found in find_fillers(text) if found.kind == "hard"]
    assert hard == ["ah", "erm", "Mm", "hmm"]
    assert [found.text for found in find_fillers(text) if found.kind == "soft"] == ["like"]
