"""What a live round tells those who watch it: events, words as they stream, and its state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec

from interviewer.events import Recorded

State = Literal["listening", "thinking", "speaking", "tool", "scoring", "stalled", "over"]


class Delta(msgspec.Struct, frozen=True):
    """More of the turn being spoken; `offset` counts characters into it, and 0 starts it anew."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """What the round is doing."""

    state: State


Notice = Recorded | Delta | Status
Observer = Callable[[Notice], None]
