"""What can happen in a round, in the past tense. Meanings never change:
add a field with a default, or a new type."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from interviewer.heard import Heard
from rubrics.scorecard import Scorecard

Mode = Literal["typed", "spoken"]
PartName = Literal["claim", "number", "tradeoff", "nextstep"]
Purpose = Literal["question", "probe", "curveball", "repeat", "nudge", "closing"]
DrillName = Literal[
    "claim", "number", "tradeoff", "nextstep", "followups", "sixty", "curveball", "again"
]

Seconds = Annotated[int, Field(ge=0, le=1_000_000)]
"""A time to answer in."""

_UNASKED: set[str] = set()


class Frozen(BaseModel):
    """A value: immutable. Unknown fields are ignored, so that an older Viva reads a newer log."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    def model_post_init(self, _: object) -> None:
        """Forget which fields were given: nothing asks, and the set takes more than the values."""
        object.__setattr__(self, "__pydantic_fields_set__", _UNASKED)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, and as forgetful."""
        copied = super().model_copy(update=update, deep=deep)
        copied.model_post_init(None)
        return copied


class Figure(Frozen):
    """A grounded number in an interviewer's text: its span and what it rests on."""

    start: int
    end: int
    said: str
    origin: Literal["fact", "tool", "card", "candidate"]
    ref: str
    """Fact id, tool call id, 'card', or the candidate's turn number."""
    label: str = ""
    value: str = ""
    """The ledger's value with its unit, for people."""
    tool: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    formula: str = ""
    source: str = ""


class Usage(Frozen):
    """Tokens of one model call, as the endpoint counted them, and its times as Viva measured."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    first_token_s: float | None = None
    """From the request to the first word, or to the end of a reply without any."""
    total_s: float | None = None


class RoundStarted(Frozen):
    """A round on one card began. `part` is set for a drill, which asks only for that part."""

    type: Literal["RoundStarted"] = "RoundStarted"
    card: str
    card_hash: str
    title: str
    question: str
    kind: str
    rubric: str
    limit_s: Seconds
    part: PartName | None = None
    interviewer: str
    """Who asks: 'card', or the model's name."""
    drill: DrillName | None = None
    """Which short round this is; None for a whole one, and for one that only names a part."""
    seed: int = 0
    """What the drill's choices follow from."""
    pool: tuple[str, ...] = ()
    """For a number drill: the templates that it draws from."""
    after: str | None = None
    """For "again": the round whose weak part is said again."""
    loop: str | None = None
    """The company loop that the round is part of."""
    story: str | None = None
    """The person's own story that is rehearsed."""


class NumberAsked(Frozen):
    """A number to work out: its template and the parameters that were drawn, never the answer."""

    template: str
    arguments: dict[str, Any]


class InterviewerSpoke(Frozen):
    """The interviewer finished an utterance. `limit_s` is the time for the reply;
    None where none is asked for."""

    type: Literal["InterviewerSpoke"] = "InterviewerSpoke"
    text: str
    purpose: Purpose
    speaker: str
    probe: str | None = None
    part: PartName | None = None
    limit_s: Seconds | None = None
    figures: tuple[Figure, ...] = ()
    number: NumberAsked | None = None
    prompt_hash: str | None = None
    usage: Usage | None = None


class CandidateSpoke(Frozen):
    """The candidate's utterance, whole.
    `over_s` is how far past the limit it came (0 when in time)."""

    type: Literal["CandidateSpoke"] = "CandidateSpoke"
    client_id: str
    text: str
    mode: Mode = "typed"
    elapsed_s: float = 0.0
    over_s: float = 0.0
    heard: Heard | None = None
    """What a recogniser wrote down; `text` is what the person made of it. None where typed."""


class CandidatePaused(Frozen):
    """The candidate asked for time to think: the clock runs on, the interviewer keeps silent."""

    type: Literal["CandidatePaused"] = "CandidatePaused"
    client_id: str


class CandidateMovedOn(Frozen):
    """The candidate declined the question at hand."""

    type: Literal["CandidateMovedOn"] = "CandidateMovedOn"
    client_id: str


class SpeechInterrupted(Frozen):
    """The candidate stopped the interviewer in mid-speech; the text is what had been heard."""

    type: Literal["SpeechInterrupted"] = "SpeechInterrupted"
    text: str
    speaker: str


class ToolCalled(Frozen):
    """The model asked for a tool; written before the tool runs."""

    type: Literal["ToolCalled"] = "ToolCalled"
    call: str
    tool: str
    arguments: str
    """Raw JSON as the model wrote it."""


class ToolReturned(Frozen):
    """A tool's result, or the error that the model can read."""

    type: Literal["ToolReturned"] = "ToolReturned"
    call: str
    ok: bool
    result: dict[str, Any]


class StatementDropped(Frozen):
    """A sentence of the model was not shown: mostly because nothing grounds its quantity."""

    type: Literal["StatementDropped"] = "StatementDropped"
    text: str
    quantity: str
    """The quantity that nothing grounds, as it was worded; '' for another reason."""
    retried: bool
    """True if the model had been told the reason once before."""
    reason: str = "ungrounded"
    """Or 'leak', 'manner' (praise, a verdict, an aside), 'too_long', 'markup', 'repeat',
    'second_question', 'no_question'.
    """


class ModelFailed(Frozen):
    """A model call failed after its retries;
    from here the card interviewer or 'not assessed' takes over."""

    type: Literal["ModelFailed"] = "ModelFailed"
    role: Literal["interviewer", "judge"]
    kind: str
    message: str


class RoundEnded(Frozen):
    """No more is asked."""

    type: Literal["RoundEnded"] = "RoundEnded"
    reason: Literal["finished", "moved_on", "left"]


class RoundScored(Frozen):
    """A scorecard was made; a round may be scored again, nothing is replaced."""

    type: Literal["RoundScored"] = "RoundScored"
    scorecard: Scorecard
    text: Literal["sent", "heard"] = "sent"
    """Which text was scored: as it was sent, or as it was heard before any correction."""


class TurnMarked(Frozen):
    """The person bookmarked a turn or noted something beside it, or took that away;
    the newest counts."""

    type: Literal["TurnMarked"] = "TurnMarked"
    turn: int = Field(ge=1, le=1_000_000)
    bookmarked: bool
    note: str = ""


# Beside the rounds. Each of these stands in a log of its own, named for what it is about, so that
# the logs of two installations can be put together.


class Beside(Frozen):
    """An event that is not of a round."""


class PartReviewed(Beside):
    """A part of a card was recalled, well or badly; what the schedule follows from.

    Log `review-ROUND`. The person's own rating of a round's part takes the place of the score's.
    """

    type: Literal["PartReviewed"] = "PartReviewed"
    round: str
    card: str
    part: PartName
    rating: Literal[1, 2, 3, 4]
    """As FSRS has them: again, hard, good, easy."""
    answered_at: datetime
    by: str
    """The scorer's name, or 'person'."""


class PlannedStage(Frozen):
    """A stage of a company's loop as it was begun, with the cards that stand for it."""

    name: str
    minutes: tuple[int, int] | None = None
    """Of the candidate's time, from..to; None where the source states none."""
    ai: str
    """The rule on AI, as the loop's file has it."""
    note: str = ""
    cards: tuple[str, ...] = ()


class LoopBegun(Beside):
    """A company's loop was begun, in the log `loop-ID`; all of its plan, as it was that day."""

    type: Literal["LoopBegun"] = "LoopBegun"
    loop: str
    company: str
    kind: Literal["published", "composite"]
    role: str
    source: str
    read: str
    ai_rule: str
    stages: tuple[PlannedStage, ...]


class StageBegun(Beside):
    """The person went on to a stage, numbered from 0; its time runs from here."""

    type: Literal["StageBegun"] = "StageBegun"
    stage: int = Field(ge=0)


class LoopRoundBegun(Beside):
    """A round on one of a stage's cards began."""

    type: Literal["LoopRoundBegun"] = "LoopRoundBegun"
    stage: int = Field(ge=0)
    card: str
    round: str


class LoopEnded(Beside):
    """Nothing more is asked in this loop."""

    type: Literal["LoopEnded"] = "LoopEnded"
    reason: Literal["finished", "left"]


class StoryWritten(Beside):
    """The person wrote a story of their own, or wrote it anew, in the log `story-ID`."""

    type: Literal["StoryWritten"] = "StoryWritten"
    title: str
    situation: str = ""
    task: str = ""
    action: str = ""
    result: str = ""
    role: str = ""
    """What the person was in it: 'lead engineer'."""
    numbers: str = ""
    """The figures that every telling should state alike, with their sources."""
    leave_out: tuple[str, ...] = ()
    """People and companies whose names are not to be said."""
    covers: tuple[str, ...] = ()
    """Cards whose question the story answers."""


class StoryTold(Beside):
    """A round began in which the story is rehearsed."""

    type: Literal["StoryTold"] = "StoryTold"
    round: str
    card: str


class Contradiction(Frozen):
    """Two statements that cannot both be so; for a name, one that was not to be said."""

    kind: str
    """'number', 'date', 'role', 'name', or 'other' where a judge found it."""
    turn: int
    said: str
    sentence: str
    stated: str
    stated_sentence: str = ""
    source: str
    """'story', or the id of the earlier round."""


class StoryChecked(Beside):
    """A judge held a telling against the story; its quotes stand in both, word for word."""

    type: Literal["StoryChecked"] = "StoryChecked"
    round: str
    judge: str
    prompt_hash: str
    found: tuple[Contradiction, ...] = ()
    failed: str = ""
    """Why the judge gave no answer; '' where it did."""


class StoryRemoved(Beside):
    """The person took the story out of their bank; what was told stays."""

    type: Literal["StoryRemoved"] = "StoryRemoved"


Event = Annotated[
    RoundStarted
    | InterviewerSpoke
    | CandidateSpoke
    | CandidatePaused
    | CandidateMovedOn
    | SpeechInterrupted
    | ToolCalled
    | ToolReturned
    | StatementDropped
    | ModelFailed
    | RoundEnded
    | RoundScored
    | TurnMarked
    | PartReviewed
    | LoopBegun
    | StageBegun
    | LoopRoundBegun
    | LoopEnded
    | StoryWritten
    | StoryTold
    | StoryChecked
    | StoryRemoved,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
VERSION = 1


class Recorded(Frozen):
    """An event as the log holds it: its place in the round and when it was written (UTC)."""

    seq: int
    at: datetime
    event: Event
