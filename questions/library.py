"""Loads folders of cards into a library and reports every fault as file:line.

Runs no tool and no model.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from questions import checks, compiled, front_matter
from questions.faults import Fault, InvalidCard, UnknownCard
from questions.model import QuestionCard

CARDS = Path(__file__).parent / "cards"
"""The cards that come with Viva."""
MAX_BYTES = 128 * 1024
"""Of one file; each card that comes with Viva is under a quarter of this."""
Rule = Callable[[QuestionCard], Iterator[checks.Complaint]]
"""A rule that a caller adds, for what cannot be told from a card alone."""
BODY = {"## Model answer": "model_answer", "## In sixty seconds": "short_answer"}
"""The body's headings, in their order, and the fields that their text fills."""


@dataclass(frozen=True)
class Library:
    """All cards by id. Immutable, and never partly valid."""

    by_id: Mapping[str, QuestionCard]

    @cached_property
    def cards(self) -> tuple[QuestionCard, ...]:
        """All cards, sorted by id."""
        return tuple(self.by_id[card_id] for card_id in sorted(self.by_id))

    def get(self, card_id: str) -> QuestionCard:
        """The card with this id; raises UnknownCard, which names the nearest ids."""
        if card_id not in self.by_id:
            near = get_close_matches(card_id.upper(), self.by_id, n=3, cutoff=0.4)
            raise UnknownCard(card_id, near)
        return self.by_id[card_id]


@dataclass
class _Read:
    """A card's file as read so far."""

    path: Path
    lines: front_matter.Lines = field(default_factory=front_matter.Lines)
    card: QuestionCard | None = None


def load(*folders: Path, fresh: bool = False, rule: Rule | None = None) -> Library:
    """Read every `*.md` of the folders, or of CARDS where none is named.

    `fresh` reads each file itself, whatever was kept of it. `rule` is put to each card that is
    valid by itself and was not kept. Raises InvalidCard with all faults of all files.
    """
    kept = {} if fresh else compiled.read()
    faults: list[Fault] = []
    reads: dict[str, _Read] = {}
    for path in _paths(folders or (CARDS,), faults):
        read = _read_card(path, faults, kept, rule)
        if read.card is None:
            continue
        if (other := reads.get(read.card.id)) is not None:
            message = f"id: {read.card.id!r} is also the id of {other.path}; rename one of the two"
            faults.append(Fault(path, read.lines.of(("id",)), message))
            continue
        reads[read.card.id] = read
    if not faults:  # a card that cannot be read would make every mention of it a second fault
        faults.extend(_cross_check(reads))
    if faults and kept:
        return load(
            *folders, fresh=True, rule=rule
        )  # only a file that was read itself knows its lines
    if faults:
        raise InvalidCard(faults)
    own = [read.card for read in reads.values() if read.card and read.path.parent == CARDS]
    if own and not fresh and any(card.hash not in kept for card in own):
        compiled.write(own)
    return Library({card_id: read.card for card_id, read in reads.items() if read.card})


def _paths(folders: tuple[Path, ...], faults: list[Fault]) -> Iterator[Path]:
    for folder in folders:
        if not os.path.isdir(folder):
            faults.append(Fault(folder, 0, "no such folder of cards; name one with *.md files"))
            continue
        try:
            found = sorted(folder.iterdir())  # a glob finds nothing where it may not look
        except OSError as error:
            faults.append(Fault(folder, 0, f"cannot be read: {error.strerror}"))
            continue
        yield from (path for path in found if path.suffix == ".md" and path.name != "README.md")


def _read_card(
    path: Path, faults: list[Fault], kept: Mapping[str, QuestionCard], rule: Rule | None
) -> _Read:
    """One file as a card; faults are appended, never raised."""
    read = _Read(path)
    try:
        raw = _bytes(path)
        content = sha256(raw).hexdigest()
        if (card := kept.get(content)) and card.id == path.stem:
            return _Read(path, card=card)
        fields, read.lines = _fields(_text(raw))
        read.card = QuestionCard.model_validate(fields | {"hash": content})
    except front_matter.Malformed as error:
        faults.append(Fault(path, error.line, str(error)))
    except ValidationError as error:
        faults.extend(_validation_faults(path, read.lines, error))
    else:
        found = [*checks.of_card(read.card, path.stem)]
        if not found and rule is not None:
            found = [*rule(read.card)]
        faults.extend(Fault(path, read.lines.of(where), message) for where, message in found)
    return read


def _bytes(path: Path) -> bytes:
    """The file's content; raises Malformed where it is too large or cannot be read."""
    if not path.is_file():  # a pipe would be waited on for ever
        raise front_matter.Malformed(0, "not a file; a card is one Markdown file")
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise front_matter.Malformed(0, f"cannot be read: {error.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise front_matter.Malformed(0, f"larger than {MAX_BYTES} bytes; shorten it")
    return raw


def _text(raw: bytes) -> str:
    """The content as text with plain line ends; raises Malformed."""
    try:
        return raw.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise front_matter.Malformed(line, "not UTF-8 text; save it as UTF-8") from None


def _fields(text: str) -> tuple[dict[str, front_matter.Value], front_matter.Lines]:
    """The front matter's fields and the body's two texts; raises Malformed."""
    checks.refuse_hidden_characters(text)
    head, rest = text[:4], text[4:]
    end = rest.find("\n---\n")
    if head != "---\n" or end < 0:
        raise front_matter.Malformed(1, "must begin with YAML between two lines of '---'")
    fields, lines = front_matter.read(rest[: end + 1], first_line=2)
    if not isinstance(fields, dict):
        raise front_matter.Malformed(2, "the front matter must be fields, 'name: value'")
    for name in sorted({"hash", *BODY.values()} & fields.keys()):
        message = f"{name}: not a field of the front matter; answers stand under their headings"
        raise front_matter.Malformed(lines.of((name,)), message)
    body = rest[end + len("\n---\n") :]
    first_line = text.count("\n") - body.count("\n") + 1
    return fields | _body(body, first_line, lines), lines


def _body(body: str, first_line: int, lines: front_matter.Lines) -> dict[str, front_matter.Value]:
    """The text under each heading; the headings must be those of BODY, in order."""
    texts: dict[str, list[str]] = {}
    expected = list(BODY)
    for number, line in enumerate(body.splitlines(), first_line):
        if line.startswith("#"):
            wanted = expected.pop(0) if expected else "no further heading"
            if line.strip() != wanted:
                raise front_matter.Malformed(
                    number, f"heading {line.strip()!r}: expected {wanted!r}"
                )
            lines.by_path[BODY[wanted],] = number
            texts[BODY[wanted]] = []
        elif texts:
            list(texts.values())[-1].append(line)
        elif line.strip():
            raise front_matter.Malformed(
                number, "text before '## Model answer'; move it under a heading"
            )
    if expected:
        raise front_matter.Malformed(first_line, f"the heading {expected[0]!r} is missing")
    return {name: _paragraphs(found) for name, found in texts.items()}


def _paragraphs(lines: list[str]) -> str:
    """Each paragraph as one line: where a file wraps is no part of the answer."""
    paragraphs = "\n".join(line.strip() for line in lines).split("\n\n")
    return "\n\n".join(" ".join(text.split()) for text in paragraphs if text.strip())


def _validation_faults(
    path: Path, lines: front_matter.Lines, error: ValidationError
) -> Iterator[Fault]:
    for fault in error.errors(include_url=False):
        where = fault["loc"]
        name = checks.dotted(where)
        if fault["type"] == "extra_forbidden":
            message = f"{name}: unknown field; remove it or correct its name"
        elif fault["type"] == "missing":
            message = f"{name}: missing; write it"
        else:
            given = repr(fault["input"])
            shown = given if len(given) <= 60 else given[:57] + "..."
            number = fault["type"] == "string_type" and isinstance(fault["input"], int | float)
            remedy = "; put it in quotes" if number else ""
            message = f"{name}: {shown}: {fault['msg'][:1].lower()}{fault['msg'][1:]}{remedy}"
        yield Fault(path, lines.of(where), message)


def _cross_check(reads: Mapping[str, _Read]) -> Iterator[Fault]:
    for read in reads.values():
        if read.card is None:
            continue
        for index, other in enumerate(read.card.related):
            if other == read.card.id or other not in reads:
                message = f"related[{index}]: {other!r}: name another card of the library"
                yield Fault(read.path, read.lines.of(("related", index)), message)
