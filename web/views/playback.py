"""A round played back in time: turns with their marks, notes, and tool calls laid open."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from markupsafe import Markup, escape

from interviewer.events import CandidateSpoke, Event, ToolCalled, ToolReturned
from interviewer.session import RoundSession
from web.views.conversation import Entry, entries
from web.views.figures import Chip, Segment, ToolUse, tool_use
from web.views.marks import MarkedTurn, Stretch, marked, spans_of
from web.views.parts import LABELS, part_label
from web.views.text import minutes


@dataclass(frozen=True, slots=True)
class Refused:
    """A note that was not kept, and why."""

    turn: int
    note: str
    fault: str


@dataclass(frozen=True, slots=True)
class Calculation:
    """A tool call of the interviewer with what came back; read by the macro `tool_rows`."""

    tool: ToolUse | None
    shown: str
    formula: str
    source: str
    fault: str
    formula_name: str = "Formula"


@dataclass(frozen=True, slots=True)
class Mark:
    """The bookmark and the note of a turn; `fault` where a new note was refused."""

    turn: int
    bookmarked: bool = False
    note: str = ""
    fault: str = ""

    @property
    def draft(self) -> Markup:
        """The note as it was sent: not even a control character is replaced."""
        return escape(self.note)

    @property
    def any(self) -> bool:
        """Whether the turn is marked in any way."""
        return self.bookmarked or bool(self.note) or bool(self.fault)


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened, `at_s` seconds after the start."""

    at_s: float
    kind: str
    who: str = ""
    aside: str = ""
    segments: tuple[Segment, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    """Of the candidate's turns, cut at the evidence."""
    calculation: Calculation | None = None
    mark: Mark | None = None
    """Of a turn; None where nobody spoke."""
    sound: str = ""
    """Id of the recording of a spoken answer, where it is kept."""

    @property
    def clock(self) -> str:
        """The time since the start: '2:05'."""
        return minutes(self.at_s)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The grounded numbers of the turn."""
        return tuple(part.chip for part in self.segments if part.chip)


@dataclass(frozen=True, slots=True)
class Playback:
    """The page of a round played back."""

    id: str
    card: str
    question: str
    drill: str
    at: datetime
    moments: tuple[Moment, ...]
    length: str
    scorer: str
    """Whose evidence is marked; empty where there is no scorecard."""
    over: bool


def playback_of(
    session: RoundSession, kept: Collection[str] = (), refused: Refused | None = None
) -> Playback:
    """The page; `kept` are the ids of the recordings that are here, `refused` brings back a note
    that was not kept.
    """
    state, started = session.state, session.state.started
    moments = _moments(session, kept, refused)
    newest = state.scorecards[-1] if state.scorecards else None
    return Playback(
        id=session.id,
        card=session.card.id,
        question=started.question if started else session.card.question,
        drill=part_label(started.part if started else None),
        at=session.log[0].at,
        moments=moments,
        length=moments[-1].clock if moments else minutes(0),
        scorer=newest.scorer if newest else "",
        over=state.ended is not None,
    )


def _moments(
    session: RoundSession, kept: Collection[str], refused: Refused | None
) -> tuple[Moment, ...]:
    begun, state = session.log[0].at, session.state
    spoken = {entry.seq: entry for entry in entries(session.log)}
    labels = {part.value: label for part, label in LABELS.items()}
    spans = spans_of(state.scorecards[-1], labels) if state.scorecards else ()
    cut = {
        turn.seq: shown for turn, shown in zip(state.turns, marked(state.turns, spans), strict=True)
    }
    back = {r.event.call: r.event for r in session.log if isinstance(r.event, ToolReturned)}
    made: list[Moment] = []
    for recorded in session.log:
        at_s = (recorded.at - begun).total_seconds()
        if isinstance(recorded.event, ToolCalled):
            found = _calculation(recorded.event, back.get(recorded.event.call))
            made.append(Moment(at_s, "tool", "Tool call", calculation=found))
        elif recorded.seq in spoken and not isinstance(recorded.event, ToolReturned):
            turn = cut.get(recorded.seq)
            mark = _mark(session, turn.number, refused) if turn else None
            moment = _spoken(at_s, spoken[recorded.seq], turn, mark)
            made.append(replace(moment, sound=_sound(recorded.event, kept)))
    return tuple(made)


def _sound(event: Event, kept: Collection[str]) -> str:
    if isinstance(event, CandidateSpoke) and event.client_id in kept:
        return event.client_id
    return ""


def _spoken(at_s: float, entry: Entry, turn: MarkedTurn | None, mark: Mark | None) -> Moment:
    own = turn is not None and entry.kind == "candidate"
    return Moment(
        at_s,
        entry.kind,
        entry.who,
        entry.aside,
        segments=() if own else entry.segments,
        stretches=turn.stretches if own and turn else (),
        mark=mark,
    )


def _mark(session: RoundSession, number: int, refused: Refused | None) -> Mark:
    kept = session.state.marks.get(number)
    if refused is not None and refused.turn == number:
        return Mark(number, kept is not None and kept.bookmarked, refused.note, refused.fault)
    return Mark(number, kept.bookmarked, kept.note) if kept else Mark(number)


def _calculation(called: ToolCalled, returned: ToolReturned | None) -> Calculation:
    use = tool_use(called.tool, _arguments(called.arguments))
    if returned is None:
        return Calculation(use, "", "", "", "It did not return.")
    result = returned.result
    if not returned.ok:
        return Calculation(use, "", "", "", str(result.get("error", "It failed.")))
    shown = " ".join(
        str(result[key]) for key in ("value", "unit") if result.get(key) not in ("", None)
    )
    return Calculation(use, shown, _text(result, "formula"), _text(result, "source"), "")


def _text(result: Mapping[str, Any], key: str) -> str:
    return str(result.get(key) or "")


def _arguments(raw: str) -> Mapping[str, Any]:
    """A model's arguments; what is no object of JSON is shown as it came."""
    try:
        decoded = json.loads(raw or "{}")
    except (ValueError, RecursionError):
        return {"arguments": raw}
    return decoded if isinstance(decoded, dict) else {"arguments": raw}
