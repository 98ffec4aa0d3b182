"""A round in a terminal: what to print for each frame. Knows no socket."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from interviewer.events import (
    Event,
    InterviewerSpoke,
    ModelFailed,
    Recorded,
    RoundEnded,
    RoundScored,
    SpeechInterrupted,
    ToolCalled,
)
from interviewer.visible import visible
from rubrics.scorecard import Scorecard

HELP = (
    "End an answer with an empty line (or Ctrl-D). Commands: "
    "/think  /move (next question)  /stop (interrupt)  /finish (score now)  /quit  /help"
)
WARNINGS = {"half": "half of the time is left", "thirty": "30 seconds left", "over": "time is over"}


@dataclass
class Screen:
    """Prints a round as it happens. Text from outside is made harmless to a terminal first."""

    write: Callable[[str], None]
    streamed: str = ""
    warned: str | None = None
    scorecard: Scorecard | None = None
    limit_s: int | None = None
    _handlers: dict[str, Callable[[dict[str, Any]], None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._handlers = {
            "delta": self._delta,
            "event": self._event,
            "clock": self._clock,
            "problem": self._problem,
            "status": self._status,
        }

    def show(self, frame: dict[str, Any]) -> None:
        """Print what a frame says, if a person needs to know it."""
        handler = self._handlers.get(frame["type"])
        if handler is not None:
            handler(frame)

    def line(self, text: str) -> None:
        """Print a line on its own, after whatever stands half written."""
        self._break()
        self.write(visible(text) + "\n")

    def _break(self) -> None:
        if self.streamed:
            self.write("\n")
            self.streamed = ""

    def _delta(self, frame: dict[str, Any]) -> None:
        if frame["offset"] == 0:
            self._break()
            self.write("\n")
        self.streamed += frame["text"]
        self.write(visible(frame["text"]))

    def _clock(self, frame: dict[str, Any]) -> None:
        warning = frame["warning"]
        if frame["limit_s"] is not None and warning is not None and warning != self.warned:
            self.line(f"[{WARNINGS[warning]}]")
        self.warned = warning

    def _status(self, frame: dict[str, Any]) -> None:
        if frame["state"] == "stalled":
            self.line("[the server cannot write to its database; it tries again]")

    def _problem(self, frame: dict[str, Any]) -> None:
        self.line(f"[not accepted: {frame['message']}]")

    def _event(self, frame: dict[str, Any]) -> None:
        self._tell(Recorded.model_validate(frame).event)

    def _tell(self, event: Event) -> None:
        match event:
            case InterviewerSpoke():
                self._spoken(event)
            case SpeechInterrupted():
                self.line("[interrupted: the floor is yours]")
            case ToolCalled():
                self.line(f"[computing {event.tool}]")
            case ModelFailed():
                self.line(f"[{event.role}: {event.message}; going on without the model]")
            case RoundEnded():
                self.line("[the round is over; scoring]")
            case RoundScored():
                self.scorecard = event.scorecard
            case _:
                pass

    def _spoken(self, event: InterviewerSpoke) -> None:
        if event.text.strip() != self.streamed.strip():
            self._break()
            self.write("\n" + visible(event.text))
        self.streamed = ""
        limit = f"\n[{clock_text(event.limit_s)} for your answer]" if event.limit_s else ""
        self.write(limit + "\n")


def clock_text(seconds: int) -> str:
    """Minutes and seconds: 180 is '3:00'."""
    return f"{seconds // 60}:{seconds % 60:02d}"
