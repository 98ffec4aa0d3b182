"""How an answer was said: rate, fillers, pauses, and when claim and number came. Never scored.

Every definition with its formula is in docs/voice.md.
"""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

from pydantic import Field

from interviewer.heard import Frozen, Heard, Span
from interviewer.quantities import find_quantities
from interviewer.scoring.claim import first_commitment
from interviewer.scoring.words import Words
from interviewer.transcript import Turn
from interviewer.voice.advice import Band, Tip, choose_tip, norms
from interviewer.voice.fillers import find_fillers, without_fillers
from interviewer.voice.places import Places
from interviewer.voice.spoken_words import count_spoken_words

LEAST_WORDS = 20
LEAST_S = 10.0
LEAST_PAUSE_S = 0.25
LONG_PAUSE_S = 2.0
_ENDS = (".", "!", "?")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Filler(Frozen):
    """One filler, verbatim."""

    text: str
    kind: Literal["hard", "soft"]
    start: int
    end: int
    """Span in the text as heard."""
    said: Span | None = None
    """When; None where the recogniser gives no times."""


class Pause(Span):
    """Silence between two stretches of speech (VAD), of a quarter of a second and more."""

    place: Literal["between sentences", "within a sentence", "unknown"] = "unknown"
    after: str = ""
    """The word before it."""


class Delivery(Frozen):
    """How an answer was said. Shown beside the score, and no part of it."""

    seconds: float
    """Of the recording."""
    speech_s: float
    span_s: float
    """From the first sound of speech to the last."""
    words: int
    """As said, without hard fillers: '14.6' is three."""
    rate_speech_wpm: float
    rate_wall_wpm: float
    fillers: tuple[Filler, ...] = ()
    hard_per_100: float = Field(ge=0)
    soft_per_100: float = Field(ge=0)
    pauses: tuple[Pause, ...] = ()
    pause_share: float
    longest_pause_s: float
    long_pauses: int
    """Of two seconds and more."""
    first_speech_s: float
    first_claim_s: float | None
    first_number_s: float | None
    limit_share: float | None
    """Length over the time limit; None without one."""
    bands: tuple[Band, ...] = ()
    tip: Tip


def delivery(heard: Heard, limit_s: float | None = None) -> Delivery | None:
    """The figures of a spoken answer; None below 20 words or 10 seconds, which say too little."""
    words = count_spoken_words(without_fillers(heard.text))
    if words < LEAST_WORDS or heard.seconds < LEAST_S or not heard.speech:
        return None
    places = Places(heard)
    speech_s = sum(span.seconds for span in heard.speech)
    span_s = heard.speech[-1].end - heard.speech[0].start
    if min(speech_s, span_s) <= 0:
        return None
    fillers, pauses = fillers_of(heard, places), pauses_of(heard, places)
    hard = sum(filler.kind == "hard" for filler in fillers)
    figures = {
        "rate_wall_wpm": 60 * words / span_s,
        "hard_per_100": 100 * hard / words,
        "first_claim_s": _first_claim_s(heard, places),
        "first_number_s": _first_number_s(heard, places),
    }
    return Delivery(
        seconds=heard.seconds,
        speech_s=speech_s,
        span_s=span_s,
        words=words,
        rate_speech_wpm=60 * words / speech_s,
        fillers=fillers,
        soft_per_100=100 * (len(fillers) - hard) / words,
        pauses=pauses,
        pause_share=sum(pause.seconds for pause in pauses) / span_s,
        longest_pause_s=max((pause.seconds for pause in pauses), default=0.0),
        long_pauses=sum(pause.seconds >= LONG_PAUSE_S for pause in pauses),
        first_speech_s=heard.speech[0].start,
        limit_share=heard.seconds / limit_s if limit_s else None,
        bands=norms(figures),
        tip=choose_tip(figures),
        **figures,
    )


def fillers_of(heard: Heard, places: Places) -> tuple[Filler, ...]:
    """All fillers, with the time of each."""
    return tuple(
        Filler(
            text=found.text,
            kind=found.kind,
            start=found.start,
            end=found.end,
            said=places.when(found.start, found.end),
        )
        for found in find_fillers(heard.text)
    )


def pauses_of(heard: Heard, places: Places) -> tuple[Pause, ...]:
    """The silences between stretches of speech, and where each stands."""
    found: list[Pause] = []
    for before, after in pairwise(heard.speech):
        if after.start - before.end < LEAST_PAUSE_S:
            continue
        # a word may begin a moment after the detector thought that speech ended
        placed = places.before(before.end + 0.1)
        word = placed.word.text if placed else ""
        ends = word.endswith(_ENDS)
        place: Literal["between sentences", "within a sentence", "unknown"] = (
            "between sentences" if ends else "within a sentence" if word else "unknown"
        )
        found.append(Pause(start=before.end, end=after.start, place=place, after=word))
    return tuple(found)


def _first_number_s(heard: Heard, places: Places) -> float | None:
    """When the first quantity with a unit, or the first number above ten, is said."""
    for said in find_quantities(heard.text):
        if said.unit is not None or abs(said.value) > 10:
            when = places.when(said.start, said.end)
            return when.start if when else None
    return None


def _first_claim_s(heard: Heard, places: Places) -> float | None:
    """When the answer first commits itself, by the cues of the score's claim."""
    turn = Turn(number=1, speaker="candidate", text=heard.text, at=_NEVER, seq=1)
    words = Words([turn])
    hit = first_commitment(words)
    if hit is None:
        return None
    when = places.when(words.words[hit.first].start, words.words[hit.last - 1].end)
    return when.start if when else None
