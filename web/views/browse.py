"""The list of questions and its filters, whose state is the URL."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from interviewer.store import LastLevel
from questions.model import QuestionCard
from web.views.filters import Active, Choice, active, choice
from web.views.parts import LABELS, PARTS

DIFFICULTIES = ("easy", "medium", "hard")
PRACTISED = (("no", "Not yet"), ("yes", "Yes"))
WEAK = (("any", "Any part"), *((part.value, part.label) for part in PARTS))
BORDERLINE = 2
"""Up to this level a part counts as weak."""

_texts: dict[str, str] = {}


class Filters(BaseModel):
    """What the reader asked for; an empty string asks for anything."""

    model_config = ConfigDict(frozen=True)

    q: str = Field("", max_length=200)
    theme: str = Field("", max_length=100)
    round: str = Field("", max_length=100)
    company: str = Field("", max_length=100)
    list: str = Field("", max_length=100)
    kind: str = Field("", max_length=100)
    difficulty: str = Field("", max_length=100)
    practised: str = Field("", max_length=20)
    weak: str = Field("", max_length=20)

    def fits(self, card: QuestionCard) -> bool:
        """Whether a card passes, whatever was done with it: every word of `q` occurs in it."""
        alike = {
            "kind": (card.kind,),
            "theme": (card.theme,),
            "difficulty": (card.difficulty,),
            "round": (card.round,),
            "company": card.asked_by.companies,
            "list": card.asked_by.lists,
        }
        fields = self.model_dump()
        if any(fields[name] not in ("", *values) for name, values in alike.items()):
            return False
        return all(word in _text(card) for word in self.q.lower().split())


@dataclass(frozen=True, slots=True)
class Question:
    """A line of the list; `weak` says which parts were weak last time, and to whom."""

    card: QuestionCard
    weak: str = ""


@dataclass(frozen=True, slots=True)
class Browse:
    """What the page of questions shows."""

    filters: Filters
    choices: tuple[Choice, ...]
    active: tuple[Active, ...]
    questions: tuple[Question, ...]
    total: int


def browse(
    cards: Sequence[QuestionCard],
    filters: Filters,
    tries: Mapping[str, int],
    last: Sequence[LastLevel],
) -> Browse:
    """The cards that pass the filters, and the options that the filters offer.

    `tries` are the rounds on each card, `last` the newest level of each part of each card.
    """
    choices = _choices(cards, filters)
    weak = _weak(filters, last)
    found = [card for card in cards if filters.fits(card) and _history_fits(card, filters, tries)]
    if filters.weak:
        found = [card for card in found if card.id in weak]
    return Browse(
        filters,
        choices,
        active(filters.model_dump(), choices),
        tuple(Question(card, weak.get(card.id, "")) for card in found),
        len(cards),
    )


def _history_fits(card: QuestionCard, filters: Filters, tries: Mapping[str, int]) -> bool:
    practised = tries.get(card.id, 0) > 0
    return filters.practised not in ("no", "yes") or practised == (filters.practised == "yes")


def _weak(filters: Filters, last: Sequence[LastLevel]) -> dict[str, str]:
    """By card, its weak parts in words; each level with the scorer that gave it."""
    found: dict[str, str] = {}
    for one in last:
        if one.level > BORDERLINE or filters.weak not in ("any", one.part):
            continue
        label = next(label for part, label in LABELS.items() if part.value == one.part)
        words = f"{label.lower()} {one.level} by {one.scorer}"
        found[one.card] = f"{found[one.card]}, {words}" if one.card in found else words
    return found


def _choices(cards: Sequence[QuestionCard], filters: Filters) -> tuple[Choice, ...]:
    levels = [d for d in DIFFICULTIES if any(card.difficulty == d for card in cards)]
    companies = {company for card in cards for company in card.asked_by.companies}
    lists = {name for card in cards for name in card.asked_by.lists}
    return (
        choice("theme", "Theme", themes(cards), filters.theme),
        choice("round", "Round", sorted({card.round for card in cards}), filters.round),
        choice("company", "Company", sorted(companies), filters.company),
        choice("list", "List", sorted(lists), filters.list),
        choice("kind", "Kind", sorted({card.kind for card in cards}), filters.kind),
        choice("difficulty", "Difficulty", levels, filters.difficulty),
        choice("practised", "Practised", PRACTISED, filters.practised),
        choice("weak", "Weak last time", WEAK, filters.weak),
    )


def themes(cards: Sequence[QuestionCard]) -> tuple[str, ...]:
    """All themes, sorted without regard to capitals."""
    return tuple(sorted({card.theme for card in cards}, key=str.casefold))


def _text(card: QuestionCard) -> str:
    """All that a card says, in lower case."""
    if card.hash not in _texts:
        _texts[card.hash] = " ".join(_said(card)).lower()
    return _texts[card.hash]


def _said(card: QuestionCard) -> Iterator[str]:
    yield from (card.id, card.title, card.question, card.tests, card.theme, card.round)
    yield from (*card.scenario, *card.asked_by.companies, *card.asked_by.lists, *card.hooks)
    points = card.key_points
    for point in (*points.claim, *points.number, *points.tradeoff, *points.nextstep):
        yield point.point
    yield from (probe.ask for probe in card.probes)
    yield from (card.model_answer, card.short_answer)
