"""What a recogniser made of a spoken answer, beside what was said: pure counts, no statistics."""

import re
import warnings
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from evals.cases import Case, Frozen
from evals.voice.voices import Clip
from interviewer.grounding.entries import fits
from interviewer.heard import Heard
from interviewer.quantities import Quantity, find_quantities
from interviewer.voice.fillers import HARD, find_fillers, without_fillers

CLOSE_S = 0.15
_PAUSE = re.compile(r"\s*\[[\d.]+\]\s*")


class SpokenAnswer(Case):
    """An answer to be spoken: words as said, '[1.2]' for a pause of so many seconds."""

    text: Annotated[str, Field(max_length=2_000)]
    quantities: tuple[str, ...]
    """Every quantity with a unit, as it was meant: '4.8 TB/s'."""

    @property
    def said(self) -> str:
        """The words without the pauses."""
        return _PAUSE.sub(" ", self.text)


class Outcome(Frozen):
    """Counts for one clip."""

    words: int
    errors: int
    """Words substituted, left out or put in, after both texts were normalised."""
    fillers: int
    kept: int
    invented: int
    quantities: int
    understood: int
    misunderstood: tuple[str, ...]
    pauses: int
    found: int
    """Pauses of which both ends are within 0.15 s."""
    text: str


def outcome(case: SpokenAnswer, clip: Clip, heard: Heard, text: str) -> Outcome:
    """The counts; `text` is the transcript with the card's units restored."""
    words, errors = word_errors(case.said, heard.text)
    said, wrote = len(HARD.findall(case.said)), _hard(heard.text)
    missing = misunderstood(case.quantities, find_quantities(text))
    close = [_found(pause, heard) for pause in clip.pauses]
    return Outcome(
        words=words,
        errors=errors,
        fillers=said,
        kept=min(said, wrote),
        invented=max(0, wrote - said),
        quantities=len(case.quantities),
        understood=len(case.quantities) - len(missing),
        misunderstood=tuple(missing),
        pauses=len(close),
        found=sum(close),
        text=heard.text,
    )


def word_errors(said: str, heard: str) -> tuple[int, int]:
    """Words said and errors, after Whisper's English normaliser; fillers are counted apart."""
    import jiwer

    reference, found = _normal(without_fillers(said)), _normal(without_fillers(heard))
    made = jiwer.process_words(reference, found)
    return len(reference.split()), made.substitutions + made.deletions + made.insertions


def misunderstood(meant: Sequence[str], found: Sequence[Quantity]) -> list[str]:
    """The quantities that nothing in the transcript states; each one found counts once."""
    left, missing = list(found), []
    for text in meant:
        quantity = find_quantities(text)[0]
        match = next((said for said in left if _same(quantity, said)), None)
        if match is None:
            missing.append(text)
        else:
            left.remove(match)
    return missing


def _same(meant: Quantity, said: Quantity) -> bool:
    """The same amount; GB for GiB is no misunderstanding, for recognisers know only one of them."""
    if not fits(said.unit, meant.unit):
        return False
    ratio = said.base / meant.base
    return any(abs(ratio * 1.024**power - 1) < 1e-6 for power in range(-4, 5))


def _hard(text: str) -> int:
    return sum(filler.kind == "hard" for filler in find_fillers(text))


def _found(pause: tuple[float, float], heard: Heard) -> bool:
    return any(
        abs(before.end - pause[0]) <= CLOSE_S and abs(after.start - pause[1]) <= CLOSE_S
        for before, after in pairwise(heard.speech)
    )


def _normal(text: str) -> str:
    return str(_normaliser()(text))


@cache
def _normaliser() -> Any:  # noqa: ANN401 (the package has no types)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has escapes that newer Pythons warn of
        from whisper_normalizer.english import EnglishTextNormalizer
    return EnglishTextNormalizer()
