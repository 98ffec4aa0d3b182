"""The operations of a simulator as text: one a line (or separated by ';'), a verb and its words.

`admit a 1000-1039,1,2 salt=x` is verb, words and options; nothing here knows what a verb does.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.result import ToolError

MOST_OPERATIONS = 2_000
MOST_TOKENS = 200_000
"""Tokens that a script may spell out in all."""
OPTION = re.compile(r"([a-z_]+)=(\S+)")
NAME = re.compile(r"[\w.:-]{1,40}")
RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


@dataclass(frozen=True)
class Operation:
    """One line: `verb` with the words and options that follow it."""

    line: int
    text: str
    verb: str
    words: tuple[str, ...]
    options: Mapping[str, str]
    field: str = "ops"
    """The argument that holds the script."""

    def wrong(self, remedy: str) -> ToolError:
        """The error that names this line."""
        return ToolError(self.field, f"line {self.line}: {self.text[:80]}", remedy)

    def name(self, index: int, what: str) -> str:
        """The word at `index`, which names something."""
        if index >= len(self.words) or not NAME.fullmatch(self.words[index]):
            raise self.wrong(f"{self.verb} needs {what}: up to 40 letters, digits and . : - _")
        return self.words[index]

    def count(self, index: int, most: int) -> int:
        """The word at `index` as a whole number from 1."""
        text = self.words[index] if index < len(self.words) else ""
        if not text.isdecimal() or len(text) > 9 or not 1 <= int(text) <= most:
            raise self.wrong(f"{text[:20]!r} is no whole number from 1 to {most:,}")
        return int(text)

    def number(self, option: str, default: int, most: int = 1_000_000) -> int:
        """A whole number given as option=N."""
        text = self.options.get(option)
        if text is None:
            return default
        if not text.isdecimal() or len(text) > 9 or int(text) > most:
            raise self.wrong(f"{option}= takes a whole number from 0 to {most:,}")
        return int(text)


class Tokens:
    """Reads token lists like `1000-1039,1,2`; counts them all against one bound."""

    def __init__(self, most: int = MOST_TOKENS) -> None:
        self._left = self._most = most

    def read(self, operation: Operation, index: int) -> tuple[int, ...]:
        """The word at `index` as token ids."""
        if index >= len(operation.words):
            raise operation.wrong(f"{operation.verb} needs tokens, such as 1000-1039,1,2")
        found: list[int] = []
        for part in operation.words[index].split(","):
            found.extend(self._part(operation, part))
        return tuple(found)

    def _part(self, operation: Operation, part: str) -> range:
        match = RANGE.fullmatch(part)
        if not match:
            raise operation.wrong(f"{part[:20]!r} is no token or range: write 7 or 1000-1039")
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if last < first:
            raise operation.wrong(f"the range {part} runs backwards")
        self._left -= last - first + 1
        if self._left < 0:
            raise operation.wrong(f"more than {self._most:,} tokens in all")
        return range(first, last + 1)


def read_script(
    text: str, verbs: Mapping[str, frozenset[str]], field: str = "ops"
) -> list[Operation]:
    """Operations of known verbs with known options; the verb "" is a script without verbs.

    ToolError names the first bad line.
    """
    found: list[Operation] = []
    for line, words in _lines(text):
        if len(found) == MOST_OPERATIONS:
            raise ToolError(field, f"line {line}", f"at most {MOST_OPERATIONS:,} operations")
        operation = _operation(line, words, field, "" not in verbs)
        if operation.verb not in verbs:
            raise operation.wrong(f"unknown operation; known: {', '.join(verbs)}")
        for option in operation.options.keys() - verbs[operation.verb]:
            known = ", ".join(sorted(verbs[operation.verb])) or "none"
            raise operation.wrong(
                f"{operation.verb or 'a line'} has no option {option!r}; known: {known}"
            )
        found.append(operation)
    if not found:
        raise ToolError(field, text[:80], f"give at least one line: {', '.join(verbs)}")
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(re.split(r"[\n;]", text), 1):
        words = line.partition("#")[0].strip()
        if words:
            yield number, words


def _operation(line: int, text: str, field: str, has_verb: bool) -> Operation:
    rest = text.split()
    verb = rest.pop(0) if has_verb else ""
    options = {m[1]: m[2] for word in rest if (m := OPTION.fullmatch(word))}
    words = tuple(word for word in rest if not OPTION.fullmatch(word))
    return Operation(line, text, verb, words, options, field)
