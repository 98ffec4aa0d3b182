"""A model as judge: it decides small checks and quotes; code verifies, and code makes the levels.

All checks go in one structured request, each decided alone: one prefill of the transcript and the
reference, one wait for the candidate, a twelfth of the prompt tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from interviewer.errors import LLMError, LLMErrorKind
from interviewer.grounding.ledger import Ledger
from interviewer.heard import DOUBTFUL
from interviewer.llm.protocol import LLM, Message, Request
from interviewer.prompts import PromptLibrary
from interviewer.quantities import find_quantities
from interviewer.scoring import advice
from interviewer.scoring.check import Cap, checked_numbers, claim_cap, number_cap
from interviewer.scoring.doubts import asked_about, decided
from interviewer.scoring.features import Answer
from interviewer.scoring.grader_talk import grader_talk
from interviewer.scoring.grounded import grounded, ledger_of
from interviewer.scoring.material import Material
from interviewer.scoring.quotes import find_quote
from interviewer.scoring.red_flags import GRADER_FLAG, grader_flag
from interviewer.scoring.scorecards import scorecard, unassessed
from interviewer.scoring.sentences import Stretch
from interviewer.scoring.verdicts import (
    BadReply,
    Judgement,
    Verdict,
    deciding_check,
    level_of,
    read_reply,
    reply_schema,
    verified_verdict,
)
from interviewer.scoring.words import FILLERS, Words, tokens
from interviewer.transcript import Turn
from questions.model import QuestionCard
from rubrics.model import Criterion
from rubrics.scorecard import Evidence, NumberFinding, Part, RedFlag, Score, Scorecard

MAX_TOKENS = 5_000
PRIORITY = 10
BEFORE, AFTER = 36, 18
"""Characters around a figure by which it is told from another with the same words."""
MOST_DOUBTFUL = 60
"""Words named as doubtful in a turn: as many as a poor half hour has."""
PROMPTS = ("judge_system", "judge_user", "judge_repair")
COMMON_FLAGS = (
    "invents a source",
    "blames others",
    "contradicts itself",
    "answers another question",
    "gives unsafe advice",
    GRADER_FLAG,
)
Failure = Literal["parse_failed", "refused", "timeout", "error"]
_STATES: Mapping[LLMErrorKind, Failure] = {
    "timeout": "timeout",
    "refused": "refused",
    "truncated": "parse_failed",
}


@dataclass(frozen=True, slots=True)
class _Case:
    """What one judging looks at, computed once."""

    material: Material
    criteria: tuple[Criterion, ...]
    talk: tuple[tuple[Stretch, ...], ...]
    findings: tuple[NumberFinding, ...]

    @property
    def check_ids(self) -> tuple[str, ...]:
        return tuple(check.id for criterion in self.criteria for check in criterion.checks)

    @property
    def flags(self) -> tuple[str, ...]:
        rules = (rule.flag for rule in self.material.card.red_flags)
        return tuple(dict.fromkeys((*COMMON_FLAGS, *rules)))


class Judge:
    """Scores with a language model. Its failures are states of the scores, never levels."""

    def __init__(self, llm: LLM, prompts: PromptLibrary, temperature: float = 0.0) -> None:
        self.llm = llm
        self.prompts = prompts
        self.temperature = temperature
        self.name = f"judge/{llm.name}"
        self.prompt_hash = prompts.hash(*PROMPTS)

    async def score(self, material: Material) -> Scorecard:
        """Judge a round; an empty answer is not assessed, and the model is not asked."""
        case = _case(material)
        if not material.answers:
            return self._card(case, tuple(unassessed(part) for part in Part), case.findings)
        try:
            judgement = await self._ask(case)
        except BadReply as fault:
            return self._failed(
                case, "parse_failed", f"The judge's reply could not be read: {fault}."
            )
        except LLMError as error:
            state = _STATES.get(error.kind, "error")
            return self._failed(
                case, state, f"The judge could not be asked: {error} ({error.kind})."
            )
        return self._judged(case, judgement)

    async def _ask(self, case: _Case) -> Judgement:
        """The judgement; a reply that cannot be read is repaired once.
        Raises BadReply, LLMError."""
        messages = self._messages(case)
        reply = await self.llm.reply(self._request(case, messages))
        try:
            return read_reply(reply.text, case.check_ids, case.flags)
        except BadReply as fault:
            again = self.prompts.render("judge_repair", fault=str(fault)).text
            repair = (Message("assistant", reply.text or "(empty)"), Message("user", again))
            reply = await self.llm.reply(self._request(case, (*messages, *repair)))
            return read_reply(reply.text, case.check_ids, case.flags)

    def _request(self, case: _Case, messages: tuple[Message, ...]) -> Request:
        schema = reply_schema(case.check_ids, tuple(asked_about(case.findings)), case.flags)
        return Request(
            messages=messages,
            tool_choice="none",
            response_schema=schema if self.llm.capabilities.json_schema else None,
            max_tokens=MAX_TOKENS,
            temperature=self.temperature,
            priority=PRIORITY,
        )

    def _messages(self, case: _Case) -> tuple[Message, ...]:
        card = case.material.card
        user = self.prompts.render(
            "judge_user",
            question=card.question,
            checks=[(c.part.value, check) for c in case.criteria for check in c.checks],
            key_points={
                c.part.value: [p.point for p in advice.key_points(card, c.part)]
                for c in case.criteria
            },
            facts=[f"{fact.fact.label}: {fact.shown}" for fact in case.material.facts],
            must_not=[f"{rule.flag}: {rule.why}" for rule in card.red_flags],
            flags=case.flags,
            number_findings=[
                _found(f) for f in case.findings if f.verdict != "unchecked" or f.reason
            ],
            figures=_figures(case),
            turns=_exchange(case.material),
        )
        return (
            Message("system", self.prompts.render("judge_system").text),
            Message("user", user.text),
        )

    def _judged(self, case: _Case, judgement: Judgement) -> Scorecard:
        answer = _answer(case)
        ledger = ledger_of(case.material)
        numbers = decided(case.findings, judgement.numbers, ledger)
        scores = tuple(
            _with_advice(
                _part_score(criterion, case, judgement, numbers), criterion, answer, ledger
            )
            for criterion in case.criteria
        )
        return self._card(case, scores, numbers, _red_flags(case, judgement))

    def _failed(self, case: _Case, state: Failure, reason: str) -> Scorecard:
        scores = (
            Score(part=criterion.part, level=None, reason=reason, state=state)
            for criterion in case.criteria
        )
        return self._card(case, tuple(scores), case.findings)

    def _card(
        self,
        case: _Case,
        assessed: tuple[Score, ...],
        numbers: tuple[NumberFinding, ...],
        flags: tuple[RedFlag, ...] = (),
    ) -> Scorecard:
        """The scorecard; the parts that were not asked for stand in it without a level."""
        by_part = {score.part: score for score in assessed}
        scores = tuple(
            by_part.get(part) or unassessed(part, "Not asked for in this drill.") for part in Part
        )
        return scorecard(
            case.material,
            scores,
            flags,
            numbers,
            scorer=self.name,
            prompt_hash=self.prompt_hash,
        )


def _case(material: Material) -> _Case:
    talk = tuple(grader_talk(turn.text) for turn in material.answers)
    return _Case(
        material=material,
        criteria=tuple(c for c in material.rubric.criteria if c.part in material.parts),
        talk=talk,
        findings=checked_numbers(material, talk),
    )


def _answer(case: _Case) -> Answer:
    words = Words(case.material.answers, case.material.card.question, case.talk)
    return Answer(words, case.material.card, case.material.card.question, case.findings)


def _part_score(
    criterion: Criterion, case: _Case, judgement: Judgement, numbers: Sequence[NumberFinding]
) -> Score:
    """A part's level from the verdicts whose quotes were found in the candidate's turns."""
    by_id = judgement.checks
    found = {
        check.id: _evidence(criterion.part, by_id[check.id].quotes, case)
        for check in criterion.checks
    }
    verified: dict[str, Verdict] = {
        check.id: verified_verdict(by_id[check.id], found[check.id]) for check in criterion.checks
    }
    deciding = deciding_check(criterion, verified).id
    decisive = by_id[deciding]
    level = level_of(criterion, verified)
    if level is None:
        return Score(
            part=criterion.part, level=None, reason=decisive.reasoning, state="not_assessed"
        )
    credited = [check.id for check in criterion.checks if verified[check.id] in ("met", "partly")]
    evidence = _distinct([quote for name in credited for quote in found[name]])
    reason = decisive.reasoning
    if decisive.verdict != verified[deciding]:
        reason = "The judge gave credit, but quoted no words of the answer that show it."
    cap = _cap(criterion.part, numbers, case.material.card)
    if cap and level > cap.level:
        level, reason = cap.level, cap.reason
    return Score(part=criterion.part, level=level, reason=reason, evidence=evidence)


def _cap(part: Part, numbers: Sequence[NumberFinding], card: QuestionCard) -> Cap | None:
    """What wrong numbers allow, whatever the checks say."""
    if part is Part.CLAIM:
        return claim_cap(numbers, card)
    return number_cap(numbers) if part is Part.NUMBER else None


def _with_advice(score: Score, criterion: Criterion, answer: Answer, ledger: Ledger) -> Score:
    """The score with what to improve, and a reason without numbers that nothing grounds."""
    reason = grounded(score.reason, ledger)
    if not reason and score.level is not None:
        reason = criterion.levels[score.level]
    tip = advice.improve(score, criterion, answer)
    return score.model_copy(update={"improve": tip, "reason": reason})


def _evidence(part: Part, quotes: Sequence[str], case: _Case) -> tuple[Evidence, ...]:
    """The quotes that the candidate said; for the number only those that hold a figure."""
    found = (find_quote(quote, case.material.answers, case.talk) for quote in quotes)
    return tuple(
        evidence
        for evidence in found
        if evidence and (part is not Part.NUMBER or find_quantities(evidence.quote))
    )


def _distinct(quotes: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple({(q.turn, q.start, q.end): q for q in quotes}.values())[:3]


def _red_flags(case: _Case, judgement: Judgement) -> tuple[RedFlag, ...]:
    """Code's own flag for talk to the grader, and the judge's flags that quote the candidate."""
    flags = {flag.flag: flag for flag in grader_flag(case.material.answers, case.talk)}
    why = {rule.flag: rule.why for rule in case.material.card.red_flags}
    for alarm in judgement.red_flags:
        quote = find_quote(alarm.quote, case.material.answers)
        if quote and alarm.flag not in flags:
            flags[alarm.flag] = RedFlag(
                flag=alarm.flag, why=why.get(alarm.flag, ""), evidence=quote
            )
    return tuple(flags.values())


def _found(finding: NumberFinding) -> dict[str, str]:
    """What code found of a figure, as the judge is told."""
    told = {"verdict": finding.verdict, "right": finding.right or "", "why": finding.reason}
    return {"said": finding.said, **{key: value for key, value in told.items() if value}}


def _figures(case: _Case) -> dict[str, str]:
    """The figures to be decided by their ids, each in brackets among the words around it."""
    texts = {turn.number: turn.text for turn in case.material.answers}
    return {
        name: _bracketed(texts[found.turn], found.start, found.end)
        for name, found in asked_about(case.findings).items()
    }


def _bracketed(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    return f"{before.lstrip()}[{text[start:end]}]{after.rstrip()}"


def _exchange(material: Material) -> list[dict[str, object]]:
    """The candidate's turns, each with what was asked before it and how it came."""
    asked, turns = "", []
    for turn in material.turns:
        if turn.speaker != "candidate":
            asked = turn.text
        elif turn.text.strip():
            turns.append(
                {
                    "number": turn.number,
                    "asked": asked,
                    "text": turn.text,
                    "mode": turn.answer.mode if turn.answer else "typed",
                    "doubtful": _doubtful(turn),
                }
            )
    return turns


def _doubtful(turn: Turn) -> list[str]:
    """The words of a spoken turn of which its recogniser was not sure and which stand in it."""
    heard = turn.answer.heard if turn.answer else None
    stand = set(tokens(turn.text))
    unsure = (word.text for word in heard.words if word.confidence < DOUBTFUL) if heard else ()
    kept = (token for text in unsure for token in tokens(text) if token not in FILLERS)
    return [*dict.fromkeys(token for token in kept if token in stand)][:MOST_DOUBTFUL]
