"""Reads YAML into plain values and remembers the line of each. Knows YAML, not cards.

A subset of YAML on purpose: no tags, anchors or aliases, no key twice, bounded depth; plain
scalars follow the YAML 1.2 core schema, so that `no` and `1:30` stay text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
Path = tuple[str | int, ...]

MAX_DEPTH = 16
_INT = re.compile(r"[-+]?[0-9][0-9_]*")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class Malformed(ValueError):
    """The text is not what is accepted here; `line` counts from 1, and 0 is the whole file."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Lines:
    """Where each value of a document begins, by its path."""

    by_path: dict[Path, int] = field(default_factory=dict)

    def of(self, path: Path) -> int:
        """Line of the value at this path, or of the nearest value around it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.by_path:
                return self.by_path[path[:end]]
        return 1


def read(text: str, first_line: int = 1) -> tuple[Value, Lines]:
    """Parse one document whose first line is line `first_line` of its file; raises Malformed."""
    lines = Lines()
    try:
        events = yaml.parse(text, Loader=yaml.CSafeLoader)
        return _Reader(events, lines, first_line).document(), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        raise Malformed(line, f"not valid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise Malformed(first_line, f"not valid YAML: {error}") from None


class _Reader:
    def __init__(self, events: Iterator[yaml.Event], lines: Lines, first_line: int) -> None:
        self.events, self.lines, self.first_line = events, lines, first_line

    def document(self) -> Value:
        next(self.events)  # the stream starts
        if isinstance(next(self.events), yaml.StreamEndEvent):
            raise Malformed(
                self.first_line, "the front matter is empty: write the fields of a card"
            )
        value = self.value(next(self.events), ())
        next(self.events)  # the document ends
        if not isinstance(extra := next(self.events), yaml.StreamEndEvent):
            raise Malformed(self.line(extra), "a second YAML document: a card has one")
        return value

    def line(self, event: yaml.Event) -> int:
        mark = event.start_mark
        return self.first_line + (mark.line if mark else 0)

    def value(self, event: yaml.Event, path: Path) -> Value:
        line = self.line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Malformed(line, "anchors and aliases are not accepted: write the value out")
        if getattr(event, "tag", None):
            raise Malformed(line, "tags ('!...') are not accepted: write a plain value")
        if len(path) > MAX_DEPTH:
            raise Malformed(line, f"nested deeper than {MAX_DEPTH} levels: no field of a card is")
        self.lines.by_path.setdefault(path, line)
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(path)
        assert isinstance(event, yaml.ScalarEvent)
        return _scalar(event, line)

    def mapping(self, path: Path) -> Value:
        found: dict[str, Value] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            line = self.line(event)
            if not isinstance(event, yaml.ScalarEvent) or event.tag or event.anchor:
                raise Malformed(line, "a field's name must be plain text")
            key: str = event.value
            if key in found:
                raise Malformed(line, f"{key}: given twice in one mapping; keep one")
            self.lines.by_path[*path, key] = line
            found[key] = self.value(next(self.events), (*path, key))
        return found

    def sequence(self, path: Path) -> Value:
        found: list[Value] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found.append(self.value(event, (*path, len(found))))
        return found


def _scalar(event: yaml.ScalarEvent, line: int) -> Value:
    text: str = event.value
    if not event.implicit[0]:  # quoted, or a block: text whatever it looks like
        return text
    if text in _WORDS:
        return _WORDS[text]
    try:
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
    except ValueError as error:
        raise Malformed(line, f"{text[:40]}...: {error}") from None
    return text
