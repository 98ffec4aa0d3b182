"""A round's frames, its close codes, and what each error is called there and over HTTP."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from interviewer.clock import Clock as QuestionClock
from interviewer.errors import (
    BackupFault,
    Busy,
    ConcurrentWriter,
    ConfigError,
    ConflictingResend,
    InterviewerError,
    InvalidUtterance,
    LLMError,
    NoSuchDrill,
    NotScored,
    RoundOver,
    StoreUnavailable,
    TakeRefused,
    UnknownLoop,
    UnknownReview,
    UnknownRound,
    UnknownStory,
    UnknownTurn,
    UtteranceTooLong,
    VoiceError,
)
from interviewer.events import Mode, Recorded
from interviewer.grounding.facts import InvalidFact
from interviewer.notices import Delta, Status
from interviewer.voice.review import Review
from questions.faults import UnknownCard

MAX_FRAME = 256 * 1024
"""Bytes. Holds 20,000 emoji even where a client escapes each as two \\uXXXX, and the longest
spoken answer in any alphabet.
"""

ClientId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"\A[\x21-\x7e]+\Z")]


class CloseCode(IntEnum):
    """Why the server ends a socket; 1007, 1009 and 1012 are sent by the protocol layer below."""

    BINARY = 1003
    BAD_UTF8 = 1007
    POLICY = 1008
    TOO_BIG = 1009
    BUG = 1011
    RESTART = 1012
    TRY_LATER = 1013
    UNKNOWN_ROUND = 4404
    TOO_SLOW = 4408
    TAKEN_OVER = 4409
    TOO_MANY = 4429


# What a client may send.


class Say(Struct, frozen=True, tag="say", tag_field="type"):
    """An utterance, whole. The id makes a resend harmless; the session limits the text."""

    id: ClientId
    text: str
    mode: Mode = "typed"


class Stop(Struct, frozen=True, tag="stop", tag_field="type"):
    """Cut the interviewer off."""


class Think(Struct, frozen=True, tag="think", tag_field="type"):
    """Keep silent while I think; the clock runs on."""

    id: ClientId


class MoveOn(Struct, frozen=True, tag="move_on", tag_field="type"):
    """I would rather not answer this one."""

    id: ClientId


class Finish(Struct, frozen=True, tag="finish", tag_field="type"):
    """End the round and score it."""

    id: ClientId


TakeId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z")]


class Record(Struct, frozen=True, tag="record", tag_field="type"):
    """Begin a spoken answer, or go on with it; it is sent later by a `say` under the same id."""

    id: TakeId
    keep: bool = False


class Done(Struct, frozen=True, tag="done", tag_field="type"):
    """The spoken answer has so many frames: hear it."""

    id: TakeId
    frames: Annotated[int, Meta(ge=0, le=1_000_000)]


class Keep(Struct, frozen=True, tag="keep", tag_field="type"):
    """Whether the sound of the spoken answer is kept once it is sent."""

    id: TakeId
    keep: bool


class Discard(Struct, frozen=True, tag="discard", tag_field="type"):
    """Delete the spoken answer."""

    id: TakeId


class Ping(Struct, frozen=True, tag="ping", tag_field="type"):
    """Is anybody there? Answered by a pong."""


ClientFrame = Say | Stop | Think | MoveOn | Finish | Record | Done | Keep | Discard | Ping
_CLIENT: msgspec.json.Decoder[ClientFrame] = msgspec.json.Decoder(ClientFrame)


class BadFrame(ValueError):
    """A frame is not JSON of a known shape; the message says where."""


def decode(text: str) -> ClientFrame:
    """The client's frame; BadFrame for anything else, nesting, lone surrogates and NaN included."""
    try:
        return _CLIENT.decode(text)
    except RecursionError:
        raise BadFrame("the frame is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise BadFrame(f"{error}") from None


# What the server sends.


class Clock(Struct, frozen=True, tag="clock", tag_field="type"):
    """Seconds of the question at hand; `limit_s` is None while none is asked. Also the
    heartbeat."""

    limit_s: int | None
    left_s: float | None
    over_s: float
    warning: Literal["half", "thirty", "over"] | None
    held: bool = False
    """It stands still, while a spoken answer is written down and checked."""

    @classmethod
    def of(cls, clock: QuestionClock | None) -> "Clock":
        """The frame for a question's clock, or for no question."""
        if clock is None:
            return cls(None, None, 0.0, None)
        left, over = round(clock.left_s, 2), round(clock.over_s, 2)
        return cls(clock.limit_s, left, over, clock.warning, clock.held)


class Hello(Struct, frozen=True, tag="hello", tag_field="type"):
    """The first frame. After a `resync` all is sent from event 1, whatever the client had."""

    round: str
    head: int
    resync: bool
    status: str
    clock: Clock
    interviewer: str


class Ack(Struct, frozen=True, tag="ack", tag_field="type"):
    """What the client sent under this id is stored for good, as event `seq`."""

    id: str
    seq: int


class Problem(Struct, frozen=True, tag="problem", tag_field="type", omit_defaults=True):
    """Something was refused and nothing of it was stored; the socket stays open."""

    code: str
    message: str
    id: str | None = None


class Kept(Struct, frozen=True, tag="kept", tag_field="type", omit_defaults=True):
    """All frames of sound before `next` are on the disk; `problem` where it refused the rest."""

    next: int
    problem: str = ""


class Caption(Struct, frozen=True, tag="caption", tag_field="type"):
    """What was said up to a pause, for the eye only: the whole is heard again after `done`."""

    text: str


class Take(Struct, frozen=True, tag="take", tag_field="type", omit_defaults=True):
    """Where the spoken answer stands: recording, hearing, heard, failed or gone.

    `next` is the number of the frame that is wanted, `review` what is to be checked.
    """

    id: str
    state: str
    next: int = 0
    progress: float = 0.0
    problem: str = ""
    review: Review | None = None


class Pong(Struct, frozen=True, tag="pong", tag_field="type"):
    """Answers a ping."""


ServerFrame = Hello | Delta | Ack | Problem | Clock | Status | Kept | Take | Caption | Pong
_encoder = msgspec.json.Encoder()


def encode(frame: ServerFrame) -> bytes:
    """A frame as JSON text in UTF-8."""
    return _encoder.encode(frame)


def encode_event(recorded: Recorded) -> bytes:
    """An `event` frame: the event exactly as the log holds it."""
    return b'{"type":"event",' + recorded.model_dump_json().encode()[1:]


# What each error is called, on the socket and over HTTP.


class Answer(NamedTuple):
    """The code of a problem, its HTTP status, and the close code where the socket cannot go on."""

    code: str
    status: int
    close: CloseCode | None = None


REFUSALS = (InterviewerError, UnknownCard)
"""What the application raises on purpose."""

ANSWERS: Mapping[type[Exception], Answer] = {
    UnknownRound: Answer("unknown_round", 404, CloseCode.UNKNOWN_ROUND),
    UnknownTurn: Answer("unknown_turn", 404),
    UnknownCard: Answer("unknown_card", 404, CloseCode.TRY_LATER),
    NoSuchDrill: Answer("no_such_drill", 422),
    UnknownLoop: Answer("unknown_loop", 404),
    UnknownStory: Answer("unknown_story", 404),
    UnknownReview: Answer("unknown_review", 404),
    RoundOver: Answer("round_over", 409),
    Busy: Answer("busy", 409),
    NotScored: Answer("not_scored", 502),
    ConcurrentWriter: Answer("concurrent_writer", 409, CloseCode.TAKEN_OVER),
    ConflictingResend: Answer("conflicting_resend", 409),
    TakeRefused: Answer("take_refused", 409),
    VoiceError: Answer("not_heard", 503),
    UtteranceTooLong: Answer("too_long", 413),
    InvalidUtterance: Answer("invalid_text", 422),
    StoreUnavailable: Answer("store_unavailable", 503),
    BackupFault: Answer("backup_fault", 503),
    ConfigError: Answer("config", 503),
    InvalidFact: Answer("invalid_fact", 503),
    LLMError: Answer("model_failed", 502),
}


def answer(error: Exception) -> Answer:
    """What this error is called; a subclass answers as its nearest listed base."""
    for kind in type(error).__mro__:
        if kind in ANSWERS:
            return ANSWERS[kind]
    return Answer("refused", 409)
