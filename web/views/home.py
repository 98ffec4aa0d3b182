"""What the home page offers: the next question, the last round and what to fix in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interviewer.session import RoundSession
from interviewer.store import RoundSummary
from questions.model import QuestionCard
from rubrics.scorecard import Scorecard
from web.views.browse import themes
from web.views.parts import LABELS, LEVELS
from web.views.rounds import RoundItem, item_of


@dataclass(frozen=True, slots=True)
class Last:
    """The last round: its line in the list, the outcome in words, and the part to drill."""

    item: RoundItem
    outcome: str
    weakest: str
    weakest_label: str


@dataclass(frozen=True, slots=True)
class Home:
    """What the home page shows. `card` is None only where there are no cards at all."""

    card: QuestionCard | None
    eyebrow: str
    last: Last | None
    themes: tuple[str, ...]


def home_of(
    cards: Sequence[QuestionCard],
    tries: Mapping[str, int],
    last: tuple[RoundSummary, RoundSession] | None,
) -> Home:
    """The home page after so many rounds on each card; `last` is the newest round."""
    card = min(cards, key=lambda card: _turn(card, tries), default=None)
    again = card is not None and tries.get(card.id, 0) > 0
    eyebrow = (
        "The question that you have practised least"
        if again
        else "A question you have not tried yet"
    )
    shown = _last(*last) if last is not None else None
    return Home(card, eyebrow, shown, themes(cards))


def _turn(card: QuestionCard, tries: Mapping[str, int]) -> tuple[int, int, int, str]:
    """What comes sooner is smaller: the least practised, then what most are known to ask."""
    asked = card.asked_by
    return tries.get(card.id, 0), -len(asked.companies), -len(asked.lists), card.id


def _last(summary: RoundSummary, session: RoundSession) -> Last:
    scorecards = session.state.scorecards
    if not scorecards:
        return Last(item_of(summary), "", "", "")
    scorecard = scorecards[-1]
    weakest = scorecard.weakest
    if weakest is None:
        return Last(item_of(summary), "", "", "")  # Its line says that it was not assessed.
    return Last(item_of(summary), _outcome(scorecard), weakest.value, LABELS[weakest])


def _outcome(scorecard: Scorecard) -> str:
    if scorecard.overall is None:
        return "Overall not assessed"
    return f"Overall {scorecard.overall} of 4, {LEVELS[scorecard.overall]}"
