"""A round as a file to keep: Markdown for people, JSON with every event.

Pure: knows no store and no page.
"""

import json
import re
from collections.abc import Sequence

from interviewer.drills import DRILLS
from interviewer.events import Recorded, RoundStarted
from interviewer.round import Round, replay
from interviewer.transcript import Turn
from interviewer.visible import visible
from rubrics.scorecard import Evidence, NumberFinding, Scorecard

FORMAT = "viva-round/1"
PART_NAMES = {
    "claim": "Claim",
    "number": "Number",
    "tradeoff": "Trade-off",
    "nextstep": "Next step",
}
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#|~!&$:@])")
_BLANK = r"[^\S\n\u2028\u2029]"
_LINE_START = re.compile(rf"(?:^|(?<=[\u2028\u2029]))({_BLANK}*)([-+=]|\d+[.)])", re.MULTILINE)


def as_json(round_id: str, log: Sequence[Recorded]) -> str:
    """The whole log with the transcript and the scorecards beside it, as indented JSON.

    `events` alone rebuilds the round; the rest is there for readers of the file.
    """
    state = replay(log)
    document = {
        "format": FORMAT,
        "round": round_id,
        "transcript": [
            {"turn": turn.number, "speaker": turn.speaker, "at": _at(turn), "text": turn.text}
            for turn in state.turns
        ],
        "scorecards": [scorecard.model_dump(mode="json") for scorecard in state.scorecards],
        "events": [recorded.model_dump(mode="json") for recorded in log],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_markdown(round_id: str, log: Sequence[Recorded]) -> str:
    """Question, newest scorecard, transcript; all that was said is escaped, so it stays text."""
    state = replay(log)
    blocks = [_head(round_id, state)]
    if state.scorecards:
        blocks.append(_scorecard(state.scorecards[-1]))
    blocks.append("## Transcript\n\n" + "\n\n".join(map(_turn, state.turns)))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it was said: no markup, HTML, links or control characters."""
    return _LINE_START.sub(_guard, _ACTIVE.sub(r"\\\1", visible(text)))


def _guard(start: re.Match[str]) -> str:
    space, mark = start.groups()
    # Four blanks at a line's start would make it code.
    return space.replace("\t", " ")[:3] + (
        f"{mark[:-1]}\\{mark[-1]}" if mark[0].isdigit() else f"\\{mark}"
    )


def _quoted(text: str) -> str:
    lines = escaped(text).splitlines() or [""]
    return "\n".join(f"> {line.lstrip()}  " if line.strip() else ">" for line in lines)


def _inline(text: str) -> str:
    return " ".join(escaped(text).split())


def _at(turn: Turn) -> str:
    return turn.at.isoformat()


def _head(round_id: str, state: Round) -> str:
    started: RoundStarted | None = state.started
    if started is None:
        return f"# Round {round_id}"
    at = f"{state.started_at:%Y-%m-%d %H:%M} UTC" if state.started_at else ""
    drill = f", drill: {PART_NAMES[started.part].lower()}" if started.part else ""
    if started.drill:
        drill = f", drill: {DRILLS[started.drill].label.lower()}"
    return (
        f"# {_inline(started.title)}\n\n{_quoted(started.question)}\n\n"
        f"Card {started.card}{drill}. Asked by {_inline(started.interviewer)}. {at}. "
        f"Round {round_id}."
    )


def _scorecard(card: Scorecard) -> str:
    overall = f"{card.overall} of 4" if card.overall else "not assessed"
    blocks = [f"## Scorecard\n\nOverall: {overall}"]
    for score in card.scores:
        level = f"{score.level} of 4" if score.level else f"not assessed ({score.state})"
        lines = [f"### {PART_NAMES[score.part]}: {level}", _inline(score.reason)]
        lines += [_evidence(evidence) for evidence in score.evidence]
        lines += [f"Next level: {_inline(score.improve)}"] if score.improve else []
        blocks.append("\n\n".join(line for line in lines if line))
    if card.numbers:
        blocks.append("### Numbers\n\n" + "\n".join(map(_number, card.numbers)))
    if card.red_flags:
        flags = (f"{flag.sentence} {flag.why}".rstrip() for flag in card.red_flags)
        blocks.append("### Red flags\n\n" + "\n".join(f"- {_inline(flag)}" for flag in flags))
    if card.say_instead:
        blocks.append(f"### {card.instead}\n\n{_quoted(card.say_instead)}")
    if card.note:
        blocks.append(_inline(card.note))
    prompt = f", prompt {card.prompt_hash}" if card.prompt_hash else ""
    blocks.append(
        f"Scored by {_inline(card.scorer)}, rubric {_inline(card.rubric)} {card.rubric_hash}, "
        f"card {card.card_hash}{prompt}."
    )
    return "\n\n".join(blocks)


def _evidence(evidence: Evidence) -> str:
    return f"{_quoted(evidence.quote)}\n>\n> (turn {evidence.turn})"


def _number(found: NumberFinding) -> str:
    right = f", it is {_inline(found.right)}" if found.right and found.verdict != "right" else ""
    reason = f" ({_inline(found.reason)})" if found.reason else ""
    how = f"; {_inline(found.formula)}" if found.formula else ""
    return f"- {_inline(found.said)}: {found.verdict}{right}{reason}{how}"


def _turn(turn: Turn) -> str:
    who = "You" if turn.speaker == "candidate" else "Interviewer"
    late = turn.answer.over_s if turn.answer else 0
    aside = f", {round(late)} s over time" if late >= 1 else ""
    aside = ", stopped" if turn.interrupted else aside
    return f"**{turn.number}. {who}{aside}**\n\n{_quoted(turn.text)}{_as_heard(turn)}"


def _as_heard(turn: Turn) -> str:
    """A spoken answer before it was corrected, where it was."""
    heard = turn.answer.heard if turn.answer else None
    if heard is None or heard.text == turn.text:
        return ""
    return f"\n\nAs heard, before it was corrected:\n\n{_quoted(heard.text)}"
