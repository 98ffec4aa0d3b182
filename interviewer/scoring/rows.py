"""Answers from outside a round: a line of JSON in, material to score, a line of JSON out."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from interviewer.events import CandidateSpoke, Mode
from interviewer.grounding.facts import compute_facts
from interviewer.scoring.material import Material
from interviewer.scoring.neutral import neutral_card
from interviewer.transcript import Turn
from interviewer.utterance import check_text, longest_of
from questions.faults import UnknownCard
from questions.library import Library
from questions.model import QuestionCard
from rubrics.model import Rubric
from rubrics.scorecard import Part, Scorecard

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class BadRow(ValueError):
    """A line is no answer to score; the message says why."""


class Row(BaseModel):
    """One answer of a batch. `question` is needed only where the library has no such card."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1)
    card: str = ""
    question: str = ""
    mode: Mode = "typed"
    answer: str


def read_row(line: bytes) -> Row:
    """A line of JSON as a row. Raises BadRow, which names the field and the fault."""
    try:
        return Row.model_validate(json.loads(line.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise BadRow(f"not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from error
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the line"
        raise BadRow(f"{where}: {fault['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise BadRow(f"not JSON ({error})") from error


def card_for(row: Row, library: Library) -> QuestionCard:
    """The row's card, or a neutral one for its question. Raises BadRow where it has neither."""
    try:
        return library.get(row.card)
    except UnknownCard as error:
        if not row.question.strip():
            raise BadRow(f"card={row.card!r}: {error}; or give the question") from error
        return neutral_card(row.card or "unknown", row.question)


def answer_material(
    text: str, card: QuestionCard, rubrics: Mapping[str, Rubric], mode: Mode = "typed"
) -> Material:
    """One answer to a card's question, as a round of one turn.

    Raises UtteranceTooLong or InvalidUtterance where a round would refuse it.
    """
    check_text(text, longest=longest_of(mode))
    spoke = CandidateSpoke(client_id="1", text=text, mode=mode)
    turn = Turn(number=1, speaker="candidate", text=text, at=_NEVER, seq=1, answer=spoke)
    return Material(card, compute_facts(card), rubrics[card.rubric], (turn,))


def result(row_id: str, scorecard: Scorecard) -> dict[str, Any]:
    """What is written for a row: levels (None = not assessed), quotes, wrong numbers, red flags."""
    quotes = {part.value: scorecard.score(part).evidence for part in Part}
    return {
        "id": row_id,
        **{part.value: scorecard.score(part).level for part in Part},
        "overall": scorecard.overall,
        "quotes": {part: found[0].quote if found else "" for part, found in quotes.items()},
        "wrong_numbers": [
            {"said": finding.said, "right": finding.right} for finding in scorecard.wrong_numbers
        ],
        "red_flags": [flag.flag for flag in scorecard.red_flags],
    }
