"""Every quantity that a round may state, and the check of a text against them. Immutable, pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from interviewer.events import Figure
from interviewer.grounding.entries import Entry, behind_fact, of_fact, of_result, of_text
from interviewer.grounding.facts import ComputedFact
from interviewer.quantities import Quantity, find_quantities
from interviewer.round import Round
from questions.model import Probe, QuestionCard
from tools.result import Result

_ABOUT = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|close to|~|≈)\s*$",
    re.IGNORECASE,
)
_SMALL = 12
# Units of talk: "two questions", "in three sentences".
_TALK = frozenset({"questions", "answers", "sentences", "words", "steps", "people", "cases"})


@dataclass(frozen=True, slots=True)
class Grounding:
    """What the quantities of a text rest on: figures in order, and those that rest on nothing."""

    figures: tuple[Figure, ...]
    ungrounded: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Known quantities in the order in which they are tried."""

    entries: tuple[Entry, ...] = ()
    below: "Ledger | None" = None
    """Tried first: a card's hundreds of entries are shared by its rounds, not copied."""

    @classmethod
    def of(cls, card: QuestionCard, facts: Sequence[ComputedFact]) -> "Ledger":
        """Facts first, then all that their tools returned, then what the card says."""
        heads = tuple(of_fact(fact) for fact in facts)
        calls = {(fact.fact.tool, str(fact.fact.arguments)): fact for fact in reversed(facts)}
        rest = tuple(entry for fact in reversed(calls.values()) for entry in behind_fact(fact))
        # facts of one card share tool calls: the first entry of a value speaks for all
        entries = (*heads, *_of_card(card), *rest)
        distinct = {(entry.value, entry.unit, entry.any_unit): entry for entry in entries[::-1]}
        kept = set(map(id, distinct.values()))
        return cls(tuple(entry for entry in entries if id(entry) in kept))

    def with_result(self, call_id: str, result: Result) -> "Ledger":
        """The ledger after a tool call returned."""
        return Ledger(tuple(of_result(call_id, result)), self)

    def with_candidate(self, turn_number: int, text: str) -> "Ledger":
        """The ledger after the candidate spoke: their own numbers may be repeated to them."""
        said = Figure(
            start=0,
            end=0,
            said="",
            origin="candidate",
            ref=str(turn_number),
            label=f"the candidate, turn {turn_number}",
        )
        return Ledger(tuple(of_text(text, said)), self)

    def ground(self, text: str) -> Grounding:
        """Match every quantity of a text; small counting words without a unit need no match."""
        figures: list[Figure] = []
        ungrounded: list[Quantity] = []
        for said in find_quantities(text):
            entry = self._match(said, about=_is_rough(text, said))
            if entry is not None:
                span = {"start": said.start, "end": said.end, "said": said.text}
                figures.append(entry.figure.model_copy(update=span))
            elif not only_counts(said):
                ungrounded.append(said)
        return Grounding(tuple(figures), tuple(ungrounded))

    def _match(self, said: Quantity, *, about: bool) -> Entry | None:
        if only_counts(said):
            return None
        matches = (entry for entry in self._in_order() if entry.agrees(said, about=about))
        return next(matches, None)

    def _in_order(self) -> Iterator[Entry]:
        if self.below is not None:
            yield from self.below._in_order()
        yield from self.entries


_KEPT_CARDS = 256
_kept: dict[str, tuple[Sequence[ComputedFact], Ledger]] = {}


def ledger_for(state: Round, card: QuestionCard, facts: Sequence[ComputedFact]) -> Ledger:
    """The ledger of a round: the card's, its tools' results and the candidate's turns."""
    ledger = _card_ledger(card, facts)
    for call_id, use in state.tool_results.items():
        if use.returned is None or not use.returned.ok:
            continue
        try:
            result = Result.model_validate(use.returned.result)
        except ValidationError:
            continue  # written by another version: nothing may rest on it
        ledger = ledger.with_result(call_id, result)
    for turn in state.answers:
        ledger = ledger.with_candidate(turn.number, turn.text)
    return ledger


def _card_ledger(card: QuestionCard, facts: Sequence[ComputedFact]) -> Ledger:
    """What does not change from turn to turn, made once for a card's computed facts."""
    kept = _kept.get(card.hash)
    if kept is not None and kept[0] is facts:
        return kept[1]
    ledger = Ledger.of(card, facts)
    if card.hash:
        if len(_kept) >= _KEPT_CARDS:
            _kept.clear()
        _kept[card.hash] = facts, ledger
    return ledger


def _of_card(card: QuestionCard) -> tuple[Entry, ...]:
    figure = Figure(start=0, end=0, said="", origin="card", ref="card", label="the card")
    limit = f"{card.limit_s} seconds; {card.limit_s / 60:g} minutes; {card.limit_s / 2:g} seconds; "
    texts = [card.question, *card.scenario, card.title, limit, "30 seconds", card.curveball or ""]
    texts += _asked(card.probes)
    texts += [card.model_answer, card.short_answer]
    texts += [rule.why for rule in card.red_flags]
    return tuple(entry for text in texts for entry in of_text(text, figure))


def _asked(probes: Sequence[Probe]) -> list[str]:
    return [text for probe in probes for text in (probe.ask, probe.good, *_asked(probe.then))]


def _is_rough(text: str, said: Quantity) -> bool:
    before = text[max(0, said.start - 16) : said.start]
    return bool(_ABOUT.search(before)) or text[said.end : said.end + 6].lower() == " or so"


def only_counts(said: Quantity) -> bool:
    """True for "two of the parts", "one question", "half of it": words that state no figure."""
    if any(character in "0123456789½¼¾" for character in said.text):
        return False
    if said.unit is None:
        return said.value == 0.5 or (said.value <= _SMALL and said.value == round(said.value))
    if said.unit.dimension != "count":
        return False
    return said.value == 1 or (said.value <= _SMALL and said.unit.symbol in _TALK)
