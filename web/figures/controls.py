"""What a figure can be set to: sliders, choices, short texts; read from a URL, faults named.

Knows no figure and no HTML.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Setting = int | str
Settings = Mapping[str, Setting]


@dataclass(frozen=True, slots=True)
class Slider:
    """A whole number from low to high in steps; `unit` is said after it."""

    name: str
    label: str
    low: int
    high: int
    default: int
    step: int = 1
    unit: str = ""
    hint: str = ""
    kind = "slider"

    def read(self, text: str) -> int:
        """The number; ValueError says what would be right."""
        number = int(text) if re.fullmatch(r"\d{1,9}", text) else self.low - 1
        if not self.low <= number <= self.high:
            raise ValueError(f"takes a whole number from {self.low:,} to {self.high:,}")
        return number


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values, each with its words."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: str
    hint: str = ""
    kind = "choice"

    def read(self, text: str) -> str:
        """The value; ValueError names the possible ones."""
        values = [value for value, _ in self.options]
        if text not in values:
            raise ValueError(f"is one of: {', '.join(values)}")
        return text


@dataclass(frozen=True, slots=True)
class Numbers:
    """Whole numbers with commas between, such as the lengths of requests."""

    name: str
    label: str
    default: str
    low: int
    high: int
    most: int
    hint: str = ""
    kind = "text"

    def read(self, text: str) -> str:
        """The numbers, tidied; ValueError says what would be right."""
        parts = [part.strip() for part in text.split(",")]
        good = all(re.fullmatch(r"\d{1,6}", part) for part in parts) and len(parts) <= self.most
        if not good or not all(self.low <= int(part) <= self.high for part in parts):
            raise ValueError(
                f"takes up to {self.most} whole numbers from {self.low} to {self.high}, "
                "with commas between"
            )
        return ",".join(str(int(part)) for part in parts)


Control = Slider | Choice | Numbers


def read(controls: Sequence[Control], given: Mapping[str, str]) -> tuple[Settings, dict[str, str]]:
    """The settings, a default where nothing or nonsense was given, and the faults by name."""
    settings: dict[str, Setting] = {}
    faults = {
        name[:60]: "is no setting of this figure"
        for name in given
        if name not in {control.name for control in controls}
    }
    for control in controls:
        text = given.get(control.name, "").strip()
        try:
            settings[control.name] = control.read(text) if text else control.default
        except ValueError as error:
            settings[control.name] = control.default
            faults[control.name] = str(error)
    return settings, faults


def whole(settings: Settings, name: str) -> int:
    """A slider's number."""
    return int(settings[name])


def words(settings: Settings, name: str) -> str:
    """A choice's or a text's value."""
    return str(settings[name])
