"""The fixed items that are evaluated, as JSON lines: rated answers, adversarial pairs, candidates.

Text in them is data; nothing here knows who scores it.
"""

import json
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from interviewer.events import Mode, PartName
from rubrics.scorecard import Level

CASES = Path(__file__).parent / "cases"
Text = Annotated[str, Field(max_length=20_000)]


class InvalidCases(ValueError):
    """A file of cases has faults; each line of the message is 'file:line: what is wrong'."""


class Frozen(BaseModel):
    """A value: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Case(Frozen):
    """One fixed item; `id` is unique in its file."""

    id: str = Field(pattern=r"^[\w./-]+$")
    card: str


class WrongNumber(Frozen):
    """A figure that a rater called wrong, with the right value in the rater's words."""

    said: str
    right: str | None = None


class Rating(Frozen):
    """One rater's judgement of an answer, on the rubric's scale."""

    claim: Level
    number: Level
    tradeoff: Level
    nextstep: Level
    overall: Level
    quotes: dict[str, str | None] = Field(default_factory=dict)
    wrong_numbers: tuple[WrongNumber, ...] = ()
    red_flags: tuple[str, ...] = ()

    def level(self, part: str) -> Level:
        """The level of a part, or of 'overall'."""
        level: Level = getattr(self, part)
        return level


class RatedAnswer(Case):
    """An answer with the ratings of independent raters; the first one is the reference."""

    question: str
    mode: Mode
    answer: Text
    ratings: tuple[Rating, ...] = Field(min_length=1)


class Pair(Case):
    """An answer that tries to earn what it does not have, beside its clean twin."""

    kind: str
    expect: Literal["no_credit", "not_higher", "not_lower", "wrong_number"]
    clean: Text
    attacked: Text
    lacks: tuple[PartName, ...] = ()
    """Parts that the attacked answer does not have: a level of 3 or 4 there is a false accept."""
    wrong: str = ""
    """For 'wrong_number': the words of the attacked answer that hold it."""


class CandidateCase(Case):
    """A simulated candidate on a card."""

    persona: str
    answers: tuple[Text, ...]
    """What is said, in order; the last one is repeated."""


class GoldenCall(Case):
    """A tool call with an independent value: measure times scale is expected within rel_tol."""

    card: str = ""
    tool: str
    arguments: dict[str, object]
    measure: str
    scale: float
    expected: float
    unit: str
    rel_tol: float
    source: str


C = TypeVar("C", bound=Case)


def read_cases(file: Path, model: type[C]) -> tuple[C, ...]:
    """The cases of a file, in order. Raises InvalidCases with every fault as file:line."""
    cases: dict[str, C] = {}
    faults: list[str] = []
    for number, line in enumerate(_lines(file), start=1):
        if not line.strip():
            continue
        try:
            case = model.model_validate(json.loads(line))
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"])) or "the line"
            faults.append(f"{file.name}:{number}: {where}: {error.errors()[0]['msg']}")
            continue
        except (ValueError, RecursionError) as error:
            faults.append(f"{file.name}:{number}: not JSON ({error})")
            continue
        if case.id in cases:
            faults.append(f"{file.name}:{number}: the id {case.id!r} occurs twice")
        cases[case.id] = case
    if faults or not cases:
        raise InvalidCases("\n".join(faults) or f"{file.name}:1: no case in the file")
    return tuple(cases.values())


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidCases(f"{file}: cannot be read ({error})") from error
