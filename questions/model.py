"""The question card as a frozen model;
every number of it is a fact that a tool call or a source yields."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

CardId = str
PartName = Literal["claim", "number", "tradeoff", "nextstep"]


class Frozen(BaseModel):
    """A value: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Slip(Frozen):
    """A mistake that people make with a fact: the stated value is `factor` times the right one."""

    factor: float = Field(gt=0)
    reason: str


class Fact(Frozen):
    """A number of the card: either a tool call that yields it, or a value with its source."""

    id: str
    label: str
    """What the number is, in words: 'decode floor at batch 1'."""
    unit: str
    """As spoken on the card: 'ms', 'GB', 'KiB/token', 'users', '%', 'x', '' for a bare count."""
    tool: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    field: str = "value"
    """Dotted path into the tool's result."""
    scale: float = 1.0
    """Factor from the result's own unit to `unit` (1000 from seconds to ms)."""
    value: float | None = None
    """Only for a fact without a tool:
    a figure of a source, or an input that the question states."""
    source: str | None = None
    tolerance: float = Field(default=0.05, gt=0, le=0.5)
    """Relative: how far a stated number may be off and still be right."""
    terms: tuple[str, ...] = ()
    """Words that stand near this number when it is meant, lower case."""
    slips: tuple[Slip, ...] = ()
    key: bool = False
    """True for the numbers that carry the answer."""
    story: bool = False
    """True for a figure of the model answer's own story: another person's story has its own, so
    that no stated number is held against this one."""


class Trigger(Frozen):
    """When a probe fits the last answer; exactly one field is set."""

    missing: PartName | None = None
    weak: PartName | None = None
    wrong: str | None = None
    """Id of a fact that was stated wrong or by a known slip."""
    unstated: str | None = None
    """Id of a fact that was not stated at all."""
    said: tuple[str, ...] = ()
    """Phrases, any of which occurs in the answer."""
    always: bool = False


class Probe(Frozen):
    """A follow-up question with its trigger; `then` drills one level deeper on the reply."""

    id: str
    part: PartName
    ask: str
    when: Trigger
    good: str
    """What a good reply contains."""
    then: tuple["Probe", ...] = ()


class RedFlagRule(Frozen):
    """Something that sinks an answer, why, and phrases that give it away."""

    flag: str
    why: str
    phrases: tuple[str, ...] = ()


class KeyPoint(Frozen):
    """One thing that a strong answer contains,
    with the words that show it and accepted alternatives."""

    point: str
    cues: tuple[str, ...]
    """Words or short phrases, any of which shows that the point was made; lower case."""


class KeyPoints(Frozen):
    """Per part, what an outstanding answer contains."""

    claim: tuple[KeyPoint, ...]
    number: tuple[KeyPoint, ...]
    tradeoff: tuple[KeyPoint, ...]
    nextstep: tuple[KeyPoint, ...]


class AskedBy(Frozen):
    """Who asks the question, and how well that is corroborated."""

    companies: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    corroboration: str
    """'at least six source families', or 'no interview source'."""


class Source(Frozen):
    """Where something on the card that is not computed comes from."""

    title: str
    url: str | None = None
    note: str = ""


class QuestionCard(Frozen):
    """One question of the bank with everything needed to ask, probe and score it."""

    id: CardId
    title: str
    version: int = Field(ge=1)
    kind: Literal["technical", "design", "decomposition", "coding", "behavioural"]
    theme: str
    round: str
    """The interview round in which it is asked:
    'technical screen', 'system design', 'behavioural', ..."""
    chapter: int | None = None
    difficulty: Literal["easy", "medium", "hard"]
    hooks: tuple[str, ...] = ()
    """Rows of the question lists that the card covers."""
    rubric: Literal["technical", "behavioural"]
    limit_s: int = Field(default=180, ge=30, le=3600)
    question: str
    tests: str
    """What is tested, in a sentence."""
    asked_by: AskedBy
    scenario: tuple[str, ...] = ()
    """The inputs, stated so that the numbers can be derived."""
    facts: tuple[Fact, ...] = ()
    key_points: KeyPoints
    probes: tuple[Probe, ...] = Field(min_length=4)
    curveball: str | None = None
    red_flags: tuple[RedFlagRule, ...] = Field(min_length=3)
    model_answer: str
    short_answer: str
    sources: tuple[Source, ...] = ()
    related: tuple[CardId, ...] = ()
    hash: str = ""
    """Content hash of the file, set by the library."""
