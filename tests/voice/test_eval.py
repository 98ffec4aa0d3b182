"""`viva eval voice`: its counts by hand, its yardstick, and one answer in each voice."""

from pathlib import Path

import numpy as np
import pytest

from evals.calibration import Calibrations
from evals.cases import read_cases
from evals.gates import Gate
from evals.voice.quiet import QUIET, quiet
from evals.voice.spoken import Outcome, SpokenAnswer, misunderstood, outcome, word_errors
from evals.voice.voices import VOICES, Clip, MissingPart, speak
from evals.voice.weights import HASHES, base_model
from evals.voice_eval import ANSWERS, clips, words_right
from interviewer.heard import Heard, Span
from interviewer.quantities import find_quantities
from interviewer.scoring.calibration import FILE
from interviewer.voice.local import WhisperRecogniser
from interviewer.voice.prompt import prompt_for
from questions.library import CARDS, load
from tests.voice.conftest import needed

CASE = SpokenAnswer(
    id="x",
    card="INF-001",
    text="Um, seventy gigabytes, [1.0] uh, take fourteen point six milliseconds.",
    quantities=("70 GB", "14.6 ms"),
)


def test_counts_are_those_of_hand_and_eye() -> None:
    clip = Clip(b"", ((2.0, 3.0),))
    heard = Heard(
        text="Um, 70 gigabytes takes 15.6 milliseconds. Uh, um.",
        speech=(Span(start=0.5, end=2.1), Span(start=3.14, end=6)),
        seconds=6.5,
    )
    found = outcome(CASE, clip, heard, heard.text)
    # said: 70 gigabytes take 14.6 milliseconds; heard: takes, 15.6
    assert (found.words, found.errors) == (5, 2)
    assert (found.fillers, found.kept, found.invented) == (2, 2, 1)
    assert (found.understood, found.misunderstood) == (1, ("14.6 ms",))
    assert (found.pauses, found.found) == (1, 1)


def test_a_pause_that_is_off_at_one_end_is_not_found() -> None:
    heard = Heard(speech=(Span(start=0.5, end=2.0), Span(start=3.2, end=6)), seconds=6.5)
    assert outcome(CASE, Clip(b"", ((2.0, 3.0),)), heard, "").found == 0


def test_words_put_in_count_as_errors_and_fillers_do_not() -> None:
    assert word_errors("um twenty users", "20 users, uh, in all") == (2, 2)


@pytest.mark.parametrize(
    ("meant", "heard", "missing"),
    [
        ("70 GB", "70 GB", []),
        ("70 GB", "70 GiB", []),
        ("320 KiB", "320 KB", []),
        ("70 GB", "70 TB", ["70 GB"]),
        ("70 GB", "71 GB", ["70 GB"]),
        ("4.8 TB/s", "4.8 TB", ["4.8 TB/s"]),
        ("300 notes", "300-notes", []),
        ("15 ms", "15 milliseconds per token", []),
    ],
)
def test_a_quantity_is_understood_as_meant(meant: str, heard: str, missing: list[str]) -> None:
    assert misunderstood([meant], find_quantities(heard)) == missing


def test_one_number_in_the_transcript_stands_for_one_that_was_meant() -> None:
    assert misunderstood(["70 GB", "70 GB"], find_quantities("70 GB")) == ["70 GB"]


def test_the_yardstick_is_large_enough_for_its_floors() -> None:
    answers = read_cases(ANSWERS, SpokenAnswer)
    assert len(answers) >= 12
    assert len(VOICES) == 2
    pauses = 2 * sum(answer.text.count("[") for answer in answers)
    assert pauses >= 73  # all found put Wilson's lower bound at 0.95
    assert {clip.id for clip in clips() if clip.answer is None} == {f"quiet/{n}" for n in QUIET}


@pytest.mark.parametrize("answer", read_cases(ANSWERS, SpokenAnswer), ids=lambda answer: answer.id)
def test_what_is_meant_is_in_the_words_as_said(answer: SpokenAnswer) -> None:
    assert misunderstood(answer.quantities, find_quantities(answer.said)) == []


def test_noise_is_fifteen_decibels_below_speech() -> None:
    for name in ("white noise", "pink noise"):
        samples = np.frombuffer(quiet(name, 2), "<i2") / 32768
        assert 20 * np.log10(np.sqrt(np.mean(samples**2)) / 0.1) == pytest.approx(-15, abs=0.3)


def test_the_interval_of_words_draws_whole_answers() -> None:
    one = Outcome(words=10, errors=1, fillers=0, kept=0, invented=0, quantities=0, understood=0,
                  misunderstood=(), pauses=0, found=0, text="")  # fmt: skip
    same = [(f"a{n}", "joe", one) for n in range(12)]
    assert words_right(same) == (0.9, (0.9, 0.9))
    worse = one.model_copy(update={"errors": 5})
    value, interval = words_right([*same, ("b", "joe", worse)])
    assert value == pytest.approx(1 - 17 / 130)
    assert value is not None
    assert interval is not None
    assert interval.low < value < interval.high
    assert words_right([]) == (None, None)


def test_weights_that_differ_are_refused(tmp_path: Path) -> None:
    for name in HASHES:
        (tmp_path / name).write_bytes(b"not the model")
    with pytest.raises(MissingPart, match="SHA-256"):
        base_model(tmp_path)


def test_the_kept_figures_reach_their_aims() -> None:
    kept = Calibrations.model_validate_json(FILE.read_bytes()).voice
    assert kept is not None
    outcomes: dict[str, Gate] = {gate.name: gate for gate in kept.gates}
    assert len(outcomes) == 6
    assert [gate.name for gate in kept.gates if gate.outcome == "fail"] == []


@pytest.mark.parametrize("voice", sorted(VOICES))
async def test_an_answer_in_each_voice_is_heard_as_meant(
    voice: str, whisper: WhisperRecogniser
) -> None:
    case = next(a for a in read_cases(ANSWERS, SpokenAnswer) if a.id == "retrieval")
    clip = needed(lambda: speak(voice, case.text))
    heard = await whisper.transcribe(clip.pcm, prompt_for(load(CARDS).get(case.card)))
    found = outcome(case, clip, heard, heard.text)
    assert found.errors <= 0.2 * found.words
    assert found.kept >= 0.5 * found.fillers
    assert found.invented == 0
    assert found.understood >= found.quantities - 1
    assert found.found == found.pauses
