"""Finds a quote in what was said:
verbatim, but for case, white space and the shape of quote marks."""

from collections.abc import Sequence
from functools import lru_cache

from interviewer.scoring.sentences import Stretch
from interviewer.transcript import Turn
from rubrics.scorecard import Evidence

LEAST_WORDS, LEAST_CHARACTERS = 3, 15
"""A shorter quote than either could be found anywhere."""
_ALIKE = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "‚": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
    }
)
_EDGES = " .,;:!?\"'…"


def find_quote(
    quote: str, answers: Sequence[Turn], without: Sequence[Sequence[Stretch]] = ()
) -> Evidence | None:
    """Where the candidate said this, or None. Spans in `without` (per answer) are no evidence."""
    wanted = fold(quote)[0].strip(_EDGES)
    if len(wanted.split()) < LEAST_WORDS and len(wanted) < LEAST_CHARACTERS:
        return None
    for index, turn in enumerate(answers):
        text, places = fold(turn.text)
        at = text.find(wanted)
        if at < 0:
            continue
        start, end = places[at], places[at + len(wanted) - 1] + 1
        holes = without[index] if index < len(without) else ()
        if not any(hole.start < end and start < hole.end for hole in holes):
            return Evidence(turn=turn.number, quote=turn.text[start:end], start=start, end=end)
    return None


@lru_cache(maxsize=64)
def fold(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is compared, and for each of its characters the place in the original."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text.translate(_ALIKE)):
        if character.isspace():
            if not folded or folded[-1] != " ":
                folded.append(" ")
                places.append(place)
            continue
        for lower in character.casefold():
            folded.append(lower)
            places.append(place)
    return "".join(folded), tuple(places)
