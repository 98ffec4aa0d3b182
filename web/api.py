"""The JSON API of rounds and questions: the verbs of the socket, one request each."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from interviewer.events import DrillName, Mode, PartName, Recorded
from interviewer.session import RoundSession
from interviewer.store import RoundSummary
from interviewer.transcript import Turn
from rubrics.scorecard import Scorecard
from web.dependencies import RunningViva
from web.failures import documented
from web.strict import StrictRoute
from web.views.room import given

router = APIRouter(prefix="/api", route_class=StrictRoute)

ClientId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]


class Asked(BaseModel):
    """A request's body: unknown fields are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class Start(Asked):
    """Which card to play; `part` makes it a drill of that part alone."""

    card: str = Field(min_length=1, max_length=64)
    part: PartName | None = None
    interviewer: Literal["card"] | None = Field(None, description="'card' leaves the model out")
    drill: DrillName | None = Field(None, description="a short round that asks for one thing")
    after: str | None = Field(
        None, max_length=32, description="for 'again': the round whose weak part is said again"
    )


class Utterance(Asked):
    """An answer, whole, up to 20,000 characters, spoken 40,000. Sending it again is harmless."""

    id: ClientId
    text: str = Field(max_length=200_000)
    mode: Mode = "typed"


class Act(Asked):
    """Something done without words, under an id of the client's that makes a resend harmless."""

    id: ClientId


class Stored(BaseModel):
    """What was sent is stored for good, as event `seq`."""

    seq: int


class ClockView(BaseModel):
    """Seconds of the question at hand."""

    limit_s: int
    left_s: float
    over_s: float
    warning: Literal["half", "thirty", "over"] | None


class TurnView(BaseModel):
    """One finished utterance."""

    number: int
    speaker: str
    text: str
    interrupted: bool

    @classmethod
    def of(cls, turn: Turn) -> "TurnView":
        """A turn for programs."""
        return cls(
            number=turn.number,
            speaker=turn.speaker,
            text=turn.text,
            interrupted=turn.interrupted,
        )


class RoundView(BaseModel):
    """A round as it stands. `head` is the seq of its last event."""

    id: str
    card: str
    title: str
    question: str
    given: list[str]
    part: PartName | None
    drill: DrillName | None
    interviewer: str
    status: str
    head: int
    clock: ClockView | None
    turns: list[TurnView]
    scorecards: list[Scorecard]

    @classmethod
    def of(cls, session: RoundSession) -> "RoundView":
        """A round for programs."""
        state, clock = session.state, session.clock()
        started = state.started
        return cls(
            id=session.id,
            card=session.card.id,
            title=session.card.title,
            question=started.question if started else session.card.question,
            given=list(given(session)),
            part=started.part if started else None,
            drill=started.drill if started else None,
            interviewer=state.interviewer,
            status=session.status,
            head=state.seq,
            clock=ClockView.model_validate(clock, from_attributes=True) if clock else None,
            turns=[TurnView.of(turn) for turn in state.turns],
            scorecards=list(state.scorecards),
        )


class RoundLine(BaseModel):
    """A line of the list of rounds; `last_type` is the type of its newest event."""

    id: str
    card: str
    title: str
    at: datetime
    last_at: datetime
    events: int
    last_type: str

    @classmethod
    def of(cls, summary: RoundSummary) -> "RoundLine":
        """A summary for programs."""
        return cls(
            id=summary.id,
            card=summary.card,
            title=summary.title,
            at=summary.at,
            last_at=summary.last_at,
            events=summary.events,
            last_type=summary.last_type,
        )


class Events(BaseModel):
    """The events after a cursor, exactly as the log holds them."""

    head: int
    events: list[Recorded]


class QuestionView(BaseModel):
    """A card of the bank, without its answer."""

    id: str
    title: str
    kind: str
    theme: str
    round: str
    difficulty: str
    limit_s: int
    question: str


@router.post("/rounds", status_code=201, tags=["rounds"], responses=documented(404, 422, 503))
async def start(viva: RunningViva, asked: Start) -> RoundView:
    """Begin a round; the interviewer asks at once."""
    session = await viva.rounds.start(
        asked.card, asked.part, asked.interviewer, asked.drill, asked.after
    )
    return RoundView.of(session)


@router.get("/rounds", name="api_rounds", tags=["rounds"])
async def rounds(
    viva: RunningViva,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> list[RoundLine]:
    """The rounds, the newest first."""
    return [RoundLine.of(summary) for summary in await viva.rounds.list(limit, offset)]


@router.get("/rounds/{round_id}", tags=["rounds"], responses=documented(404))
async def show(viva: RunningViva, round_id: str) -> RoundView:
    """A round as it stands."""
    return RoundView.of(await viva.rounds.open(round_id))


@router.get("/rounds/{round_id}/events", tags=["rounds"], responses=documented(404))
async def events(
    viva: RunningViva, round_id: str, after: Annotated[int, Query(ge=0, le=2**53)] = 0
) -> Events:
    """What has happened since event `after`."""
    session = await viva.rounds.open(round_id)
    return Events(head=session.state.seq, events=session.log[after:])


REFUSALS = documented(404, 409, 413, 422, 503)


@router.post("/rounds/{round_id}/say", tags=["rounds"], responses=REFUSALS)
async def say(viva: RunningViva, round_id: str, asked: Utterance) -> Stored:
    """Answer the question at hand; stored for good when this returns."""
    session = await viva.rounds.open(round_id)
    return Stored(seq=await session.hear(asked.id, asked.text, asked.mode))


@router.post("/rounds/{round_id}/think", tags=["rounds"], responses=REFUSALS)
async def think(viva: RunningViva, round_id: str, asked: Act) -> Stored:
    """Ask for silence while you think; the clock runs on."""
    session = await viva.rounds.open(round_id)
    return Stored(seq=await session.pause(asked.id))


@router.post("/rounds/{round_id}/move_on", tags=["rounds"], responses=REFUSALS)
async def move_on(viva: RunningViva, round_id: str, asked: Act) -> Stored:
    """Decline the question at hand; always accepted before the end."""
    session = await viva.rounds.open(round_id)
    return Stored(seq=await session.move_on(asked.id))


@router.post("/rounds/{round_id}/finish", tags=["rounds"], responses=REFUSALS)
async def finish(viva: RunningViva, round_id: str, asked: Act) -> Stored:
    """End the round; it is scored in the background."""
    session = await viva.rounds.open(round_id)
    return Stored(seq=await session.finish(asked.id))


@router.post("/rounds/{round_id}/stop", tags=["rounds"], responses=REFUSALS)
async def stop(viva: RunningViva, round_id: str) -> RoundView:
    """Cut the interviewer off in mid-speech; nothing happens where it is silent."""
    session = await viva.rounds.open(round_id)
    await session.interrupt()
    return RoundView.of(session)


@router.get("/questions", name="api_questions", tags=["questions"])
async def questions(viva: RunningViva) -> list[QuestionView]:
    """The question bank, sorted by id."""
    return [QuestionView.model_validate(card, from_attributes=True) for card in viva.library.cards]
