"""The real recogniser and a voice, once a run. A part that is missing is named."""

from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import TypeVar

import pytest

from evals.voice.voices import Clip, MissingPart, speak
from evals.voice.weights import base_model
from interviewer.voice.local import WhisperRecogniser

T = TypeVar("T")
FLOOR = (
    "Um, reading seventy gigabytes of weights at four point eight terabytes per second [1.2] "
    "takes about fourteen point six milliseconds."
)


def needed(make: Callable[[], T]) -> T:
    """What a test needs; where a part is missing the test is skipped."""
    try:
        return make()
    except MissingPart as error:
        pytest.skip(str(error))


@cache
def _floor() -> Clip:
    return speak("joe", FLOOR)


@pytest.fixture(scope="session")
def spoken() -> Clip:
    """Nine seconds of speech with a filler, three quantities and one pause."""
    return needed(_floor)


@pytest.fixture(scope="session")
def model() -> str:
    return str(needed(base_model))


# The scope ends with this folder: its event loop must not stay open under other tests.
@pytest.fixture(scope="package")
async def whisper(model: str) -> AsyncIterator[WhisperRecogniser]:
    recogniser = WhisperRecogniser(model)
    yield recogniser
    await recogniser.aclose()
