"""What can be wrong with a card, as file:line: message."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """One fault; `line` counts from 1, and 0 means the file or folder as a whole."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        """As compilers write it, so that editors can jump to it."""
        return (
            f"{self.path}:{self.line}: {self.message}"
            if self.line
            else f"{self.path}: {self.message}"
        )


class InvalidCard(ValueError):
    """One or more cards are at fault; the message lists every fault on its own line."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(sorted(faults))
        super().__init__("\n".join(map(str, self.faults)))


class UnknownCard(LookupError):
    """No card of the library has this id."""

    def __init__(self, card_id: str, near: Sequence[str] = ()) -> None:
        hint = f"did you mean {' or '.join(near)}?" if near else "`viva questions list` shows all."
        super().__init__(f"card {card_id!r}: no card has this id; {hint}")
        self.card_id, self.near = card_id, tuple(near)
