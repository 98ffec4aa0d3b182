"""The numbers of a round in order, each with what was said to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from interviewer.reckoning.check import Checked, check
from interviewer.reckoning.draw import again
from interviewer.reckoning.model import Reckoning
from interviewer.transcript import Turn


@dataclass(frozen=True, slots=True)
class Outcome:
    """One number: what was asked; the turn that answered it and its check, None where none did."""

    reckoning: Reckoning
    turn: Turn | None = None
    checked: Checked | None = None


def outcomes(turns: Sequence[Turn]) -> tuple[Outcome, ...]:
    """Every number that was asked, the newest last; its first answer counts."""
    found: list[Outcome] = []
    for turn in turns:
        if turn.spoke is not None and turn.spoke.number is not None:
            number = turn.spoke.number
            if asked := again(number.template, number.arguments):
                found.append(Outcome(asked))
        elif turn.speaker == "candidate" and found and found[-1].turn is None:
            checked = check(found[-1].reckoning, turn.text)
            found[-1] = replace(found[-1], turn=turn, checked=checked)
    return tuple(found)
