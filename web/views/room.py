"""A live round as its page shows it when it is loaded; the scripts carry on from there."""

import secrets
from dataclasses import dataclass

from markupsafe import Markup, escape

from interviewer.clock import Clock
from interviewer.session import RoundSession
from interviewer.utterance import LONGEST
from web.views.conversation import Entry, entries
from web.views.drills import drill_label
from web.views.text import minutes

STATUS = {
    "listening": "Your turn.",
    "thinking": "The interviewer is thinking.",
    "speaking": "The interviewer is speaking.",
    "tool": "The interviewer is checking a number with a tool.",
    "scoring": "Your answers are being scored.",
    "stalled": "The database refuses to write. What you sent before is safe; trying again.",
    "over": "The round is over.",
}


@dataclass(frozen=True, slots=True)
class VoicePanel:
    """What the page needs for spoken answers: addresses, bounds, and where sound goes."""

    sound: str
    """Address of a recording, but for its id."""
    check: str
    longest: int
    """Frames of 100 ms."""
    destination: str | None
    """Who is sent the sound; None where it stays on the server."""
    days: int


@dataclass(frozen=True, slots=True)
class Room:
    """The round page. `head` and `head_at` are the cursor at which the socket takes over."""

    id: str
    card: str
    title: str
    question: str
    given: tuple[str, ...]
    part: str
    loop: str
    """The company loop that it is part of; empty for none."""
    interviewer: str
    entries: tuple[Entry, ...]
    head: int
    head_at: str
    status: str
    clock: Clock | None
    clock_words: str
    scored: bool
    client_id: str
    draft: Markup
    """As it was sent: not even a control character is replaced."""
    fault: str
    longest: int = LONGEST
    voice: VoicePanel | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more can be said."""
        return self.status in ("scoring", "over")

    @property
    def waiting(self) -> bool:
        """Whether a page without scripts should look again by itself."""
        return self.status not in ("listening", "over")

    @property
    def status_words(self) -> str:
        """The status line."""
        return "Your scorecard is ready." if self.scored else STATUS[self.status]


def room_of(
    session: RoundSession, draft: str = "", fault: str = "", voice: VoicePanel | None = None
) -> Room:
    """The page of a round; `draft` and `fault` bring back a text that was refused."""
    started, clock, newest = session.state.started, session.clock(), session.log[-1]
    asker = session.state.interviewer
    return Room(
        id=session.id,
        card=session.card.id,
        title=started.title if started else session.card.title,
        question=started.question if started else session.card.question,
        given=given(session),
        part=drill_label(started),
        loop=(started.loop or "") if started else "",
        interviewer="the card interviewer" if asker == "card" else asker,
        entries=entries(session.log),
        head=newest.seq,
        head_at=newest.at.isoformat(),
        status=session.status,
        clock=clock,
        clock_words=f"of {minutes(clock.limit_s)}" if clock else "",
        scored=bool(session.state.scorecards),
        client_id=secrets.token_hex(12),
        draft=escape(draft),
        fault=fault,
        voice=voice,
    )


def given(session: RoundSession) -> tuple[str, ...]:
    """What a candidate may take as given; a number drill states its own parameters."""
    started = session.state.started
    return () if started and started.pool else session.card.scenario
