"""A scorecard as plain text for a terminal; what the candidate said cannot move its cursor."""

from textwrap import fill

from interviewer.visible import visible
from rubrics.model import Rubric
from rubrics.scorecard import NumberFinding, RedFlag, Score, Scorecard

_WIDTH = 80
_LABEL = 12


def as_text(scorecard: Scorecard, rubric: Rubric) -> str:
    """The four parts, then numbers, red flags and what to say instead."""
    head = f"{scorecard.card}   overall {_level(scorecard.overall)}   ({scorecard.scorer})"
    blocks = [head, *(_part(score, rubric) for score in scorecard.scores)]
    if scorecard.numbers:
        blocks.append("Numbers\n" + "\n".join(map(_number, scorecard.numbers)))
    if scorecard.red_flags:
        blocks.append("Red flags\n" + "\n".join(map(_flag, scorecard.red_flags)))
    if scorecard.say_instead and scorecard.weakest:
        title = rubric.criterion(scorecard.weakest).title
        blocks.append(f"{scorecard.instead} ({title})\n" + _line("", scorecard.say_instead))
    return visible("\n\n".join(blocks))


def _part(score: Score, rubric: Rubric) -> str:
    criterion = rubric.criterion(score.part)
    lines = [f"{criterion.title}: {_level(score.level)}"]
    if score.level is not None:
        lines.append(_line("", criterion.levels[score.level]))
    lines.append(_line("why", score.reason))
    lines += [_line("you said", f"“{_one_line(e.quote)}” (turn {e.turn})") for e in score.evidence]
    if score.improve:
        lines.append(_line("to improve", score.improve))
    return "\n".join(lines)


def _number(finding: NumberFinding) -> str:
    right = f", right is {finding.right}" if finding.right and finding.verdict != "right" else ""
    why = f": {finding.reason}" if finding.reason else ""
    return _line(finding.verdict, f"“{_one_line(finding.said)}”{right}{why}")


def _flag(flag: RedFlag) -> str:
    quote = f" “{_one_line(flag.evidence.quote)}”" if flag.evidence else ""
    return _line("", f"{flag.sentence} {flag.why}{quote}")


def _level(level: int | None) -> str:
    return "not assessed" if level is None else f"{level} of 4"


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _line(label: str, text: str) -> str:
    margin = "  " + " " * _LABEL
    return fill(
        _one_line(text),
        width=_WIDTH,
        initial_indent=f"  {label:<{_LABEL}}",
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
