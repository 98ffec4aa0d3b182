"""A floor that writes down what is said and kept, in order."""

from interviewer.events import Event
from interviewer.interviewers.scene import Interviewer, Scene


class Minutes:
    """The words and events of a turn, as they came."""

    def __init__(self) -> None:
        self.items: list[str | Event] = []

    def say(self, text: str) -> None:
        self.items.append(text)

    async def keep(self, event: Event) -> None:
        self.items.append(event)

    @property
    def text(self) -> str:
        return "".join(item for item in self.items if isinstance(item, str))

    @property
    def events(self) -> list[Event]:
        return [item for item in self.items if not isinstance(item, str)]


async def turn_of(interviewer: Interviewer, at: Scene) -> Minutes:
    """One whole turn."""
    minutes = Minutes()
    await interviewer.speak(at, minutes)
    return minutes
