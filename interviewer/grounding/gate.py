"""Lets streamed text pass, but holds a sentence with a number until it ended and was grounded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from interviewer.events import Figure
from interviewer.grounding.ledger import Ledger
from interviewer.quantities import Quantity
from interviewer.quantities.words import NUMBER_WORDS

LONGEST = 2_000
"""Characters after which a sentence is judged as it stands."""
_CONTEXT = 240

_WORDS = sorted(NUMBER_WORDS, key=len, reverse=True)
_NUMBER = re.compile(rf"[0-9½¼¾]|\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_PREFIXES = frozenset(word[:size] for word in _WORDS for size in range(1, len(word)))
_LAST_WORD = re.compile(r"[A-Za-z]{1,12}\Z")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|approx|cf|fig)\.\Z", re.I)
_END = re.compile(r"[.!?…][\"')\]”’]*(?=\s)|\n")


@dataclass(frozen=True, slots=True)
class Passed:
    """Text to show. Spans of the figures count from the first character that ever passed."""

    text: str
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocked:
    """Text that must not be shown, with the quantities that nothing grounds."""

    text: str
    ungrounded: tuple[Quantity, ...]
    """Spans count within `text`."""


class SentenceGate:
    """One utterance's gate. Passed and blocked text together are the input, in order."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._pending = ""
        self._holding = False
        self._searched = 0
        self._shown = 0
        self._recent = ""

    def feed(self, delta: str) -> list[Passed | Blocked]:
        """Take the next piece of the stream; return what can be decided now."""
        self._pending += delta
        return self._decide(last=False)

    def passes(self, delta: str, word: str) -> bool:
        """Let a delta pass at once if its one word, in lower case, cannot become a number.

        Says the same as `feed`, at a tenth of the cost; False, and nothing taken, where unsure.
        """
        if self._holding or self._pending or word in _PREFIXES or word in NUMBER_WORDS:
            return False
        self._note(delta)
        return True

    def close(self) -> list[Passed | Blocked]:
        """The stream ended: decide the rest."""
        return self._decide(last=True)

    def _decide(self, *, last: bool) -> list[Passed | Blocked]:
        out: list[Passed | Blocked] = []
        while self._hold(out):
            cut = self._sentence_end() or (len(self._pending) if last else None)
            if cut is None:
                return out
            out.append(self._judge(cut))
        self._release(len(self._pending) - (0 if last else self._undecided()), out)
        return out

    def _hold(self, out: list[Passed | Blocked]) -> bool:
        """Start to hold at the first number, back to where its sentence begins; True while held."""
        if self._holding:
            return True
        number = _NUMBER.search(self._pending)
        if number is None:
            return False
        start = max(_ends(self._pending[: number.start()]), default=0)
        self._release(start, out)
        self._holding, self._searched = True, number.start() - start
        return True

    def _undecided(self) -> int:
        """How many characters at the end may still become a number word."""
        last = _LAST_WORD.search(self._pending)
        return len(last.group()) if last and last.group().lower() in _PREFIXES else 0

    def _release(self, size: int, out: list[Passed | Blocked]) -> None:
        if size <= 0:
            return
        text, self._pending = self._pending[:size], self._pending[size:]
        self._note(text)
        out.append(Passed(text))

    def _note(self, shown: str) -> None:
        self._shown += len(shown)
        self._recent = (self._recent + shown)[-_CONTEXT:]

    def _sentence_end(self) -> int | None:
        """Where the held sentence ends, or must be cut; None while it goes on."""
        end = next(_ends(self._pending, self._searched), None)
        if end is not None and end <= LONGEST:
            return end
        if len(self._pending) > LONGEST:
            return self._pending.rfind(" ", 1, LONGEST) + 1 or LONGEST
        self._searched = max(self._searched, len(self._pending) - 8)
        return None

    def _judge(self, cut: int) -> Passed | Blocked:
        held, self._pending = self._pending[:cut], self._pending[cut:]
        self._holding, self._searched = False, 0
        context = self._recent[max(_ends(self._recent), default=0) :]
        grounding = self._ledger.ground(context + held)
        bad = [said for said in grounding.ungrounded if said.end > len(context)]
        if bad:
            self._recent = ""
            return Blocked(held, tuple(_moved(said, -len(context)) for said in bad))
        figures = [figure for figure in grounding.figures if figure.end > len(context)]
        shift = self._shown - len(context)
        self._note(held)
        spans = [{"start": figure.start + shift, "end": figure.end + shift} for figure in figures]
        pairs = zip(figures, spans, strict=True)
        return Passed(held, tuple(figure.model_copy(update=span) for figure, span in pairs))


def _moved(said: Quantity, shift: int) -> Quantity:
    return replace(said, start=max(0, said.start + shift), end=said.end + shift)


def _ends(text: str, start: int = 0) -> Iterator[int]:
    """Where the sentences of a text end; '3.3' and 'e.g.' end none."""
    for match in _END.finditer(text, start):
        if not _ABBREVIATION.search(text, max(0, match.end() - 8), match.end()):
            yield match.end()
