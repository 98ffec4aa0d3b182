"""What a live round tells those who watch it: events, words as they stream, and its state.

Words and states are frames of the socket as they are: nothing is made anew for each token.
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from interviewer.events import Recorded

State = Literal["listening", "thinking", "speaking", "tool", "scoring", "stalled", "over"]


class Delta(Struct, frozen=True, tag="delta", tag_field="type"):
    """More of the turn being spoken; `offset` counts code points from its start, 0 starts anew."""

    offset: int
    text: str


class Status(Struct, frozen=True, tag="status", tag_field="type"):
    """What the round is doing."""

    state: State


Notice = Recorded | Delta | Status
Observer = Callable[[Notice], None]
