"""One utterance of a model as it streams: what is let out, what is held back and why it is dropped.

Pure: no model, no clock. What was let out is never taken back.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from interviewer.grounding.gate import Blocked, Passed, SentenceGate
from interviewer.grounding.ledger import Ledger
from interviewer.interviewers.manner import (
    asks,
    may_become_praise,
    open_end,
    opening_praise,
    praises,
    sentence_end,
    sentences,
    undecided,
)

MOST_STATEMENTS = 2
"""Sentences before the question, which is the third at most."""
LONGEST_SENTENCE = 400
"""Characters."""
LONGEST_REPLY = 4_000
"""Characters, heard or not; an endless reply is cut off here."""
_UNSPOKEN: dict[int, str | None] = dict.fromkeys((*range(9), *range(14, 32), *range(127, 160)))
_UNSPOKEN |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_UNSPOKEN |= dict.fromkeys(range(9, 14), " ")
"""Control characters and marks that turn the direction of writing are left out. Speech has no
lines: a break between a number and its unit must not part them.
"""
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\s\s|[^\S ]")
_SPACES = re.compile(r"\s+")
_SHINGLE = 8
_WORD = re.compile(r"\w+")
_ONE_WORD = re.compile(r" ?([A-Za-z]+),? ?")
_MARKUP = tuple("{[<|#`")
_CLOSED = ".!?…\"')]”’"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Words that were not let out; `reason` as in StatementDropped."""

    text: str
    reason: str
    quantity: str = ""


class Secrets:
    """What would give the answer away: its wording, and numbers that nobody has said yet."""

    def __init__(self, answers: tuple[str, ...], said: tuple[str, ...]) -> None:
        """`answers` must not be told; `said` is what question and candidate have said already."""
        self._wording = _wording(answers)
        self._known = {s for text in said for s in _shingles(text) if s in self._wording}
        self._said = said

    def has_number(self, passed: Passed) -> str | None:
        """A number of the card in this text that nobody has said."""
        for figure in passed.figures:
            if figure.origin in ("fact", "card") and self._open.ground(figure.said).ungrounded:
                return figure.said
        return None

    def has_wording(self, words: list[str]) -> bool:
        """Whether a run of these words stands in the answer."""
        return not self._known.issuperset(self._wording.intersection(_runs(words)))

    @cached_property
    def _open(self) -> Ledger:
        """The numbers said so far; most turns state none that must be looked up here."""
        ledger = Ledger()
        for text in self._said:
            ledger = ledger.with_candidate(0, text)
        return ledger


class Speech:
    """Feed deltas in, get what may be heard out. `done` after the question: the rest is void."""

    def __init__(self, secrets: Secrets, asked: Iterable[str] = ()) -> None:
        """`asked` are the interviewer's earlier turns, which are not to be repeated."""
        self.said = ""
        self.done = False
        self.dropped: list[Dropped] = []
        """Sentences left out since `take_dropped`."""
        self.fault: Dropped | None = None
        """Set when the model must be asked again; nothing more is let out until `go_on`."""
        self._secrets = secrets
        self._gate: SentenceGate | None = None
        self._held = ""
        self._sentence = ""
        self._words: list[str] = []
        """The last of the sentence at hand; the first `_compared` were looked for in the answer."""
        self._compared = 0
        self._statements = 0
        self._gap = ""
        self._capital = False
        self._skipping: str | None = None
        self._fed = 0
        self._asked = {_folded(part) for text in asked for part in sentences(text)} - {""}
        self._has_asked = False
        self._spaced = False

    def go_on(self, ledger: Ledger) -> None:
        """Another reply begins, whose numbers may rest on this ledger."""
        self._break_off()
        self._gate, self._held, self._fed = SentenceGate(ledger), "", 0
        self.fault = self._skipping = None

    def feed(self, delta: str) -> str:
        """What may be heard now."""
        assert self._gate is not None
        self._fed += len(delta)
        if self._fed > LONGEST_REPLY:
            self.fault = Dropped(self._sentence.strip(), "too_long")
            return ""
        if (word := self._run_on(delta)) is not None:
            return word
        return self._through(self._gate.feed(self._spoken(delta)))

    def close(self, *, final: bool = True) -> str:
        """The reply ended: what may be heard of what was still held back.

        Not `final` when a tool call follows: then a request is not yet the question.
        """
        assert self._gate is not None
        text = self._through(self._gate.close())
        if not self.stopped and self._held.strip():
            # A last sentence without its full stop is still a sentence.
            text += self._let_out("\n")
        self.done = self.done or (final and self._has_asked and self.fault is None)
        return text

    def take_dropped(self) -> list[Dropped]:
        """What was left out since the last time."""
        taken, self.dropped = self.dropped, []
        return taken

    def append(self, text: str) -> str:
        """Words that are not the model's, let out as they are."""
        self._break_off()
        return self._emit(text)

    @property
    def stopped(self) -> bool:
        """Whether nothing more is let out of this reply."""
        return self.done or self.fault is not None

    def _through(self, pieces: list[Passed | Blocked]) -> str:
        out = ""
        for piece in pieces:
            if self.stopped:
                break
            if isinstance(piece, Blocked):
                self.fault = self._fault(piece, "ungrounded", piece.ungrounded[0].text)
            elif (leak := self._secrets.has_number(piece)) is not None:
                self.fault = self._fault(piece, "leak", leak)
            else:
                out += self._let_out(piece.text)
        return out

    def _spoken(self, delta: str) -> str:
        """The delta as speech. Spaces are single before numbers are read, as they are after."""
        text = _SPACES.sub(" ", delta.translate(_UNSPOKEN)) if _ODD.search(delta) else delta
        if self._spaced:
            text = text.removeprefix(" ")
        self._spaced = text.endswith(" ") if text else self._spaced
        return text

    def _run_on(self, delta: str) -> str | None:
        """Let out one more word in mid-sentence; None where anything here could hold it back.

        Most deltas are such a word: the whole way through costs four times as much.
        """
        word = _ONE_WORD.fullmatch(delta)
        if word is None or self._held or self._skipping is not None or self.stopped:
            return None
        if not self._words or len(self._sentence) + len(delta) > LONGEST_SENTENCE:
            return None
        folded = word[1].lower()
        if may_become_praise(folded) or (self._spaced and delta[0] == " "):
            return None
        words = self._words_of(delta)
        if self._begins_word(delta) and self._leaks(*words):
            return None
        assert self._gate is not None
        if not self._gate.passes(delta, folded):
            return None
        self._spaced = delta[-1] == " "
        return self._say(delta, *words)

    def _fault(self, piece: Passed | Blocked, reason: str, quantity: str) -> Dropped:
        sentence = self._sentence + self._held + piece.text
        return Dropped(sentence.strip(), reason, quantity)

    def _let_out(self, text: str) -> str:
        self._held += text
        out = ""
        while self._held and not self.stopped:
            end = sentence_end(self._held)
            step = self._skip(end) if self._skipping is not None else self._speak(end)
            if step is None:
                break
            out += step
        return out

    def _speak(self, end: int | None) -> str | None:
        """Let out a sentence, or what of it is certain; None to wait for more."""
        part = self._held if end is None else self._held[:end]
        starts = not self._sentence.strip()
        if end is None and starts and len(part) <= LONGEST_SENTENCE and self._must_wait(part):
            return None
        if starts and (cut := opening_praise(part)):
            self._leave_out(cut)
            return ""
        if praises(part):
            self._skipping = ""
            return ""
        if problem := self._problem(part, end):
            self.fault = Dropped((self._sentence + part).strip(), problem)
            return None
        if end is None:
            part = part[: len(part) - undecided(part, at_start=starts)]
            if not part:
                return None
        self._held = self._held[len(part) :]
        out = self._say(part, *self._words_of(part))
        if end is not None:
            self._end_sentence(part)
        return out

    def _say(self, part: str, kept: int, more: list[str]) -> str:
        self._words[kept:] = more
        self._sentence += part
        old = min(self._compared, len(self._words)) - _SHINGLE + 1
        if old > _SHINGLE:
            self._words, self._compared = self._words[old:], self._compared - old
        return self._emit(part)

    def _must_wait(self, part: str) -> bool:
        """Whether a sentence must be whole before any of it is heard."""
        last = self._statements >= MOST_STATEMENTS  # it must ask something
        return last or any(asked.startswith(_folded(part)) for asked in self._asked)

    def _problem(self, part: str, end: int | None) -> str | None:
        sentence = self._sentence + part
        if not self.said and sentence.lstrip()[:1] in _MARKUP:
            return "markup"
        if len(sentence) > LONGEST_SENTENCE:
            return "too_long"
        if end is not None and _folded(sentence) in self._asked:
            return "repeat"
        must_ask = end is not None and self._statements >= MOST_STATEMENTS
        if must_ask and sentence.strip() and not asks(sentence):
            return "too_long"
        # A word that is still growing says nothing yet.
        words = self._words_of(part)
        grown = end is not None or self._begins_word(part) or len(words[1]) > 1
        return "leak" if grown and self._leaks(*words) else None

    def _begins_word(self, part: str) -> bool:
        """Whether the word before it is whole; some models put the space after a word."""
        return part[0].isspace() or self._sentence[-1:].isspace()

    def _leaks(self, kept: int, more: list[str]) -> bool:
        """Whether so many words of the sentence, and these, repeat the answer's anew."""
        self._compared = max(0, kept + len(more) - 1)  # the last may grow
        return self._secrets.has_wording(self._words[:kept] + more)

    def _words_of(self, part: str) -> tuple[int, list[str]]:
        """How many words of the sentence stay as they are before this part, and those after."""
        more, kept = _WORD.findall(part.lower()), len(self._words)
        if more and kept and self._sentence[-1].isalnum() and part[0].isalnum():
            more[0] = self._words[-1] + more[0]
            kept -= 1
        return kept, more

    def _leave_out(self, size: int) -> None:
        """Drop a word of praise that opens a sentence; the rest of it may stand."""
        self.dropped.append(Dropped(self._held[:size].strip(), "manner"))
        self._held, self._capital = self._held[size:], True
        self._break_off()

    def _skip(self, end: int | None) -> str | None:
        """Drop the rest of a sentence that praises."""
        assert self._skipping is not None
        part = (
            self._held[: len(self._held) - open_end(self._held)]
            if end is None
            else self._held[:end]
        )
        self._held = self._held[len(part) :]
        self._skipping += part
        if end is None:
            return None
        self.dropped.append(Dropped((self._sentence + self._skipping).strip(), "manner"))
        self._skipping = None
        self._break_off()
        return ""

    def _end_sentence(self, part: str) -> None:
        if part.endswith("?"):
            self.done = True
            if "?" in self._held:
                self.dropped.append(Dropped(self._held.strip(), "second_question"))
        elif self._sentence.strip():
            self._statements += 1
            self._has_asked = asks(self._sentence)
        self._forget()

    def _break_off(self) -> None:
        """The sentence at hand goes no further: what follows stands behind a dash."""
        if self.said:
            self._gap = " " if self.said[-1] in _CLOSED else " — "
        self._forget()

    def _forget(self) -> None:
        """Another sentence begins."""
        self._sentence, self._words, self._compared = "", [], 0

    def _emit(self, text: str) -> str:
        """Add to what was said; white space is kept back until a word follows it."""
        words = " ".join(text.split())
        if not words:
            self._gap = self._gap or (" " if text and self.said else "")
            return ""
        if self._capital:
            words, self._capital = words[0].upper() + words[1:], False
        lead = self._gap or (" " if text[0].isspace() and self.said else "")
        self._gap = " " if text[-1].isspace() else ""
        out = lead + words
        self.said += out
        return out


@lru_cache(maxsize=64)
def _wording(answers: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """A card's answers, 300 KB as shingles: shared by its rounds, not made again each turn."""
    return frozenset(shingle for text in answers for shingle in _shingles(text))


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _shingles(text: str) -> list[tuple[str, ...]]:
    return _runs(_WORD.findall(text.lower()))


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1)]
