"""Filters of a list as boxes to choose from. Their state is the URL."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a select box, in the words that people read."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One select box."""

    name: str
    label: str
    options: tuple[Option, ...]
    chosen: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Active:
    """A filter in force, in words, and the query without it."""

    words: str
    without: str


def active(fields: dict[str, str], choices: Iterable[Choice], **others: str) -> tuple[Active, ...]:
    """Each filter in force; `others` are the labels of fields that are no boxes."""
    labels = {choice.name: choice.label for choice in choices} | others
    words = {
        (choice.name, option.value): option.label for choice in choices for option in choice.options
    }
    return tuple(
        Active(f"{labels[name]}: {words.get((name, value), value)}", query(fields, **{name: ""}))
        for name, value in fields.items()
        if value and name in labels
    )


def choice(
    name: str, label: str, values: Iterable[str | tuple[str, str]], chosen: str, fault: str = ""
) -> Choice:
    """A box of values, each with its words where they differ.

    What the URL asks for is offered too, so that it is seen and can be taken away.
    """
    options = [Option(v, v) if isinstance(v, str) else Option(*v) for v in values]
    if chosen and chosen not in (option.value for option in options):
        options.append(Option(chosen, chosen))
    return Choice(name, label, tuple(options), chosen, fault)


def query(fields: dict[str, str], **changes: str) -> str:
    """The query of a URL with these changes; empty fields are left out."""
    return urlencode({name: value for name, value in (fields | changes).items() if value})
