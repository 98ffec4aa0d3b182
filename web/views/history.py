"""The history: the filters of its URL as what the store finds, and the page of rounds found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import get_args

from pydantic import BaseModel, ConfigDict, Field

from interviewer.store import Found, Hit, Wanted
from interviewer.store.history import Mode
from questions.model import QuestionCard
from rubrics.scorecard import Part
from web.views.filters import Active, Choice, active, choice, query
from web.views.parts import LABELS, LEVELS
from web.views.rounds import RoundItem, item_of

PER_PAGE = 25
MODES = (("typed", "Typed"), ("spoken", "Spoken"), ("drill", "Drill"))


class Asked(BaseModel):
    """The filters as the URL holds them; empty asks for anything."""

    model_config = ConfigDict(frozen=True)

    q: str = Field("", max_length=200)
    card: str = Field("", max_length=100)
    theme: str = Field("", max_length=100)
    company: str = Field("", max_length=100)
    part: str = Field("", max_length=20)
    level: str = Field("", max_length=20)
    scorer: str = Field("", max_length=200)
    mode: str = Field("", max_length=20)
    since: str = Field("", max_length=20)
    until: str = Field("", max_length=20)
    marked: str = Field("", max_length=20)
    page: int = Field(1, ge=1, le=1_000_000)

    @property
    def fields(self) -> dict[str, str]:
        """The filters without the page."""
        return self.model_dump(exclude={"page"})


@dataclass(frozen=True, slots=True)
class FoundRound:
    """A line of the history, with the turns that hold the words."""

    item: RoundItem
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class History:
    """What the page of the history shows."""

    asked: Asked
    choices: tuple[Choice, ...]
    faults: Mapping[str, str]
    active: tuple[Active, ...]
    """The filters in force, but for the words."""
    rounds: tuple[FoundRound, ...]
    total: int
    more: bool
    """Whether there may be more than `total`, and than `pages`."""
    pages: int
    newer: str
    """The query of the page before, or empty."""
    older: str


def wanted_of(asked: Asked, cards: Sequence[QuestionCard]) -> tuple[Wanted, dict[str, str]]:
    """What to find, and the fields that cannot be understood with what to write there."""
    faults = _faults(asked)
    given = {name: "" if name in faults else value for name, value in asked.fields.items()}
    wanted = Wanted(
        words=given["q"].strip(),
        cards=_cards(given, cards),
        part=given["part"],
        level=int(given["level"]) if given["level"] else None,
        scorer=given["scorer"],
        since=given["since"],
        until=given["until"],
        mode=next((mode for mode in get_args(Mode) if mode == given["mode"]), ""),
        marked=given["marked"] == "yes",
    )
    return wanted, faults


def history_of(
    asked: Asked,
    found: Found,
    faults: Mapping[str, str],
    cards: Sequence[QuestionCard],
    played: Mapping[str, int],
    scorers: Sequence[str],
) -> History:
    """The page; `played` is how many rounds there are on each card."""
    pages = max(1, -(-found.total // PER_PAGE))
    fields = asked.fields
    choices = _choices(asked, faults, cards, played, scorers)
    return History(
        asked=asked,
        choices=choices,
        faults=faults,
        active=active(fields, choices, since="From", until="To"),
        rounds=tuple(FoundRound(item_of(match.round), match.hits) for match in found.matches),
        total=found.total,
        more=found.more,
        pages=pages,
        newer=query(fields, page=str(min(asked.page - 1, pages))) if asked.page > 1 else "",
        older=query(fields, page=str(asked.page + 1)) if asked.page < pages or found.more else "",
    )


def _cards(given: Mapping[str, str], cards: Sequence[QuestionCard]) -> frozenset[str] | None:
    if not (given["card"] or given["theme"] or given["company"]):
        return None
    if not (given["theme"] or given["company"]):
        return frozenset({given["card"]})
    return frozenset(
        card.id
        for card in cards
        if given["card"] in ("", card.id)
        and given["theme"] in ("", card.theme)
        and given["company"] in ("", *card.asked_by.companies)
    )


def _faults(asked: Asked) -> dict[str, str]:
    allowed = {
        "part": [part.value for part in Part],
        "level": [str(level) for level in LEVELS],
        "mode": list(get_args(Mode)),
        "marked": ["yes"],
    }
    faults = {
        name: f"{value}: choose one of {', '.join(allowed[name])}"
        for name, value in asked.fields.items()
        if value and value not in allowed.get(name, [value])
    }
    for name in ("since", "until"):
        value = asked.fields[name]
        if value and not _is_day(value):
            faults[name] = f"{value}: give a day as 2026-11-29"
    return faults


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _choices(
    asked: Asked,
    faults: Mapping[str, str],
    cards: Sequence[QuestionCard],
    played: Mapping[str, int],
    scorers: Sequence[str],
) -> tuple[Choice, ...]:
    titles = {card.id: card.title for card in cards}
    companies = {company for card in cards for company in card.asked_by.companies}
    boxes: tuple[tuple[str, str, Sequence[str | tuple[str, str]]], ...] = (
        ("card", "Card", [(c, f"{c} {titles.get(c, '')}".strip()) for c in sorted(played)]),
        ("theme", "Theme", sorted({card.theme for card in cards})),
        ("company", "Company", sorted(companies)),
        ("part", "Part", [(part.value, label) for part, label in LABELS.items()]),
        ("level", "Level", [(str(n), f"{n}, {words}") for n, words in LEVELS.items()]),
        ("scorer", "Scorer", list(scorers)),
        ("mode", "Mode", list(MODES)),
        ("marked", "Marked", [("yes", "With a bookmark or a note")]),
    )
    fields = asked.fields
    return tuple(
        choice(name, label, values, fields[name], faults.get(name, ""))
        for name, label, values in boxes
    )
