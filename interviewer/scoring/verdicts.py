"""A judge's reply: its schema, its reading, and how verdicts with verified quotes become levels."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rubrics.model import Check, Criterion
from rubrics.scorecard import Evidence, Level, Part

Verdict = Literal["met", "partly", "not_met", "cannot_tell"]
Decided = Literal["holds", "wrong", "cannot_tell"]
LONGEST_QUOTE = 240
LONGEST_REASONING = 320
"""Characters: two sentences. A small model that is not bounded runs on to the token bound."""
LONGEST_WHY = 200


class BadReply(ValueError):
    """The reply cannot be used; the message tells the judge what to mend."""


class Decision(BaseModel):
    """One check: the words that bear on it, the reasoning, the verdict; in this order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quotes: tuple[str, ...]
    reasoning: str
    verdict: Verdict


class Alarm(BaseModel):
    """A red flag that the judge saw, with the words that show it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quote: str
    flag: str


class NumberDecision(BaseModel):
    """One figure that code did not find wrong: why, where that needs saying, then the verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    why: str
    verdict: Decided


class Judgement(BaseModel):
    """The whole reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    checks: dict[str, Decision]
    """By check id."""
    numbers: dict[str, NumberDecision] = Field(default_factory=dict)
    """By the id of the figure; one that is left out is not decided."""
    red_flags: tuple[Alarm, ...]


def reply_schema(
    check_ids: Sequence[str], number_ids: Sequence[str], flags: Sequence[str]
) -> dict[str, Any]:
    """The JSON schema of a reply. Each check and figure is a required property, so that a decoder
    which follows the schema decides all of them once and in order; bounded, so that it also ends.
    """
    quote = {"type": "string", "maxLength": LONGEST_QUOTE}
    reasoning = {"type": "string", "maxLength": LONGEST_REASONING}
    decision = {
        "quotes": _list(quote, 2),
        "reasoning": reasoning,
        "verdict": {"type": "string", "enum": list(get_args(Verdict))},
    }
    number = {
        "why": {"type": "string", "maxLength": LONGEST_WHY},
        "verdict": {"type": "string", "enum": list(get_args(Decided))},
    }
    alarm = {"quote": quote, "flag": {"type": "string", "enum": list(flags)}}
    return _object(
        {
            "checks": _object(dict.fromkeys(check_ids, _object(decision))),
            "numbers": _object(dict.fromkeys(number_ids, _object(number))),
            "red_flags": _list(_object(alarm), 4),
        }
    )


def read_reply(text: str, check_ids: Sequence[str], flags: Sequence[str]) -> Judgement:
    """The judgement in a reply. Raises BadReply where a check is undecided or unknown."""
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        raise BadReply("it holds no JSON object")
    try:
        judgement = Judgement.model_validate(json.loads(text[begin : end + 1]))
    except ValidationError as error:
        fault = error.errors()[0]
        raise BadReply(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise BadReply(f"it is not valid JSON ({error})") from error
    if set(judgement.checks) != set(check_ids):
        raise BadReply(f"checks: got {list(judgement.checks)}; give each of {list(check_ids)}")
    by_words = {_bare(flag): flag for flag in flags}
    known = tuple(
        alarm.model_copy(update={"flag": by_words[_bare(alarm.flag)]})
        for alarm in judgement.red_flags
        if _bare(alarm.flag) in by_words
    )
    return judgement.model_copy(update={"red_flags": known})


def level_of(criterion: Criterion, verified: Mapping[str, Verdict]) -> Level | None:
    """The level that the verdicts carry: each level needs all checks up to it met.

    Half an answer is a claim of level 2. A figure, a cost or a step is met by the least that
    counts: half of that is none. None when the judge could tell nothing about the part.
    """
    if all(verified[check.id] == "cannot_tell" for check in criterion.checks):
        return None
    level: Level = 1
    steps: tuple[Level, ...] = (2, 3, 4)
    for step in steps:
        verdicts = [verified[check.id] for check in criterion.checks if check.level == step]
        if all(verdict == "met" for verdict in verdicts):
            level = step
            continue
        half_a_claim = step == 2 and criterion.part is Part.CLAIM
        if half_a_claim and all(verdict in ("met", "partly") for verdict in verdicts):
            level = 2
        break
    return level


def verified_verdict(decision: Decision, evidence: Sequence[Evidence]) -> Verdict:
    """The verdict, or not_met where credit was given without words of the candidate."""
    credited = decision.verdict in ("met", "partly")
    return "not_met" if credited and not evidence else decision.verdict


def deciding_check(criterion: Criterion, verified: Mapping[str, Verdict]) -> Check:
    """The check whose reasoning explains the level: the first that is not met, else the last."""
    missed = (check for check in criterion.checks if verified[check.id] != "met")
    return next(missed, criterion.checks[-1])


def _bare(flag: str) -> str:
    """The flag as it is told from others: where no schema holds them, models drop full stops."""
    return flag.strip().rstrip(".").casefold()


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}
