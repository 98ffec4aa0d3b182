"""The person's stories as their pages show them: the bank, the form, a telling side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from interviewer.events import Contradiction, StoryWritten
from interviewer.stories.coverage import Covered, coverage
from interviewer.stories.story import Story
from questions.library import Library
from questions.model import QuestionCard
from web.tellings import Held

FIELDS: Mapping[str, tuple[str, str]] = {
    "situation": ("Situation", "Who, where, when, and what was at stake."),
    "task": ("Task", "What was yours to do or to decide."),
    "action": ("Action", "What you did, and what you gave up for it."),
    "result": ("Result", "What came of it, measured, and what you do differently since."),
    "numbers": (
        "Numbers",
        "The figures that every telling should state alike, with their sources.",
    ),
}
LONGEST, LONGEST_TITLE, MOST_NAMES = 4_000, 120, 40
KINDS = {
    "number": "Another number",
    "date": "Another date",
    "role": "Another role",
    "name": "A name to leave out",
    "other": "Found by the judge",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A story as its form holds it; a refused one comes back as it was sent."""

    fields: Mapping[str, str]
    covers: tuple[str, ...] = ()

    @classmethod
    def of(cls, written: StoryWritten) -> "Draft":
        """The form of a kept story."""
        names = ("title", "role", *FIELDS)
        fields = {name: str(getattr(written, name)) for name in names}
        return cls(fields | {"leave_out": ", ".join(written.leave_out)}, written.covers)

    def faults(self, library: Library) -> dict[str, str]:
        """What must be put right before it can be kept, by field."""
        found = {
            name: f"{len(self.fields[name]):,} characters; shorten it to {longest:,}"
            for name, longest in {"title": LONGEST_TITLE, "role": LONGEST_TITLE}.items()
            | {name: LONGEST for name in FIELDS}.items()
            if len(self.fields[name]) > longest
        }
        if not self.fields["title"].strip():
            found["title"] = "give the story a title to find it by"
        if not self.fields["action"].strip():
            found["action"] = "say what you did; a story without it answers no question"
        if any(len(name) > LONGEST_TITLE for name in self.names):
            found["leave_out"] = f"a name is longer than {LONGEST_TITLE}; put commas between them"
        if len(self.names) > MOST_NAMES:
            found["leave_out"] = f"{len(self.names)} names; keep to {MOST_NAMES}"
        if unknown := [card for card in self.covers if card not in library.by_id]:
            found["covers"] = f"no card {unknown[0]!r}; choose among those shown"
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names to leave out, one after each comma or line."""
        parts = self.fields["leave_out"].replace("\n", ",").split(",")
        return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))

    def written(self) -> StoryWritten:
        """The event that keeps it."""
        texts = {name: self.fields[name].strip() for name in ("title", "role", *FIELDS)}
        return StoryWritten(**texts, leave_out=self.names, covers=self.covers)


EMPTY = Draft({name: "" for name in ("title", "role", "leave_out", *FIELDS)})


@dataclass(frozen=True, slots=True)
class Bank:
    """The page of all stories with the questions that they cover."""

    stories: tuple[Story, ...]
    covered: tuple[Covered, ...]
    bare: int
    """Questions that no story covers."""


def bank_of(stories: Sequence[Story], library: Library) -> Bank:
    """All stories and all behavioural questions."""
    covered = coverage(library.cards, stories)
    return Bank(tuple(stories), covered, sum(not one.by for one in covered))


@dataclass(frozen=True, slots=True)
class TellingLine:
    """A round in which the story was told."""

    round: str
    question: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StoryPage:
    """One story: its form, what is wrong in it, its tellings. `id` is empty for a new one."""

    id: str
    title: str
    draft: Draft
    faults: Mapping[str, str]
    labels: Mapping[str, tuple[str, str]]
    questions: tuple[QuestionCard, ...]
    tellings: tuple[TellingLine, ...]


def story_page(
    library: Library,
    story: Story | None = None,
    draft: Draft | None = None,
    faults: Mapping[str, str] | None = None,
) -> StoryPage:
    """The page of a story, of a new one, or of a draft that was refused."""
    return StoryPage(
        id=story.id if story else "",
        title=story.written.title if story else "A new story",
        draft=draft or (Draft.of(story.written) if story else EMPTY),
        faults=faults or {},
        labels=FIELDS,
        questions=tuple(card for card in library.cards if card.kind == "behavioural"),
        tellings=tuple(_lines(story, library)) if story else (),
    )


def _lines(story: Story, library: Library) -> Iterable[TellingLine]:
    for telling in reversed(story.tellings):
        card = library.by_id.get(telling.card)
        yield TellingLine(telling.round, card.question if card else telling.card, telling.at)


@dataclass(frozen=True, slots=True)
class Clash:
    """Two statements side by side."""

    kind: str
    said: str
    sentence: str
    stated: str
    stated_sentence: str
    source: str
    turn: int
    earlier: str
    """The earlier round that it was told in; empty for the story itself."""


@dataclass(frozen=True, slots=True)
class TellingPage:
    """A telling beside its story."""

    story: Story
    round: str
    question: str
    clashes: tuple[Clash, ...]
    earlier: int
    judge: str
    """Who looked besides the code; empty where nobody did."""
    failed: str
    looking: bool
    """Whether a judge reads it now."""
    can_ask: bool


def telling_page(held: Held, round_id: str, question: str, *, judge: bool) -> TellingPage:
    """The page of a telling; `judge` says whether one can be asked."""
    check = held.check
    found = (*held.found, *(check.found if check else ()))
    return TellingPage(
        story=held.story,
        round=round_id,
        question=question,
        clashes=tuple(_clash(one) for one in found),
        earlier=len(held.earlier),
        judge=check.judge if check else "",
        failed=check.failed if check else "",
        looking=held.looking,
        can_ask=judge,
    )


def _clash(one: Contradiction) -> Clash:
    earlier = "" if one.source == "story" else one.source
    return Clash(
        kind=KINDS.get(one.kind, one.kind),
        said=one.said,
        sentence=one.sentence,
        stated=one.stated,
        stated_sentence=one.stated_sentence,
        source="an earlier telling" if earlier else "your story",
        turn=one.turn,
        earlier=earlier,
    )
