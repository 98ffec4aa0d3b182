"""What a model is told: a prefix that stays byte-identical through the round, the turns, the move.

Knows templates and messages, calls no model.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from sys import intern

from interviewer.interviewers.choice import PART_WORDS, Move
from interviewer.interviewers.scene import Scene
from interviewer.interviewers.speech import Dropped
from interviewer.interviewers.toolbox import for_model
from interviewer.llm.protocol import Message, ToolCall
from interviewer.prompts.library import PromptLibrary
from interviewer.round import ToolUse
from interviewer.transcript import Turn

_BEGIN = "Begin the interview."
"""Chat templates and some endpoints insist that the user speaks first."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """The messages of one turn, and the hash of the templates that made them."""

    messages: tuple[Message, ...]
    prompt_hash: str


class Briefer:
    """Renders the interviewer's prompts."""

    def __init__(self, prompts: PromptLibrary) -> None:
        self._prompts = prompts

    def prefix(self, scene: Scene, *, tools: bool) -> tuple[Message, ...]:
        """System prompt and card: the same bytes in every call of a round."""
        card, started = scene.card, scene.state.started
        question = started.question if started else card.question
        system = self._prompts.render(
            "interviewer_system", card=card, question=question, round=card.round, tools=tools
        )
        # Interned: the rounds of a card share its text.
        return (Message("system", intern(system.text)), Message("user", _BEGIN))

    def turn(self, scene: Scene, move: Move, *, tools: bool) -> Briefing:
        """The round so far, then what to ask next; what varies stands last."""
        said = [message for turn in scene.state.turns for message in self._said(turn)]
        order = Message("user", self._order(scene, move))
        templates = ("interviewer_system", "interviewer_answer", "interviewer_move")
        prompt_hash = ".".join(self._prompts.hash(name)[:8] for name in templates)
        return Briefing(_merged((*self.prefix(scene, tools=tools), *said, order)), prompt_hash)

    def retry(self, heard: str, dropped: Dropped, move: Move) -> tuple[Message, ...]:
        """The model's own words, and why they were not let out."""
        why = self._prompts.render(
            "interviewer_retry",
            dropped=dropped.text,
            reason=dropped.reason,
            quantity=dropped.quantity,
            heard=heard,
            ask=move.text,
        )
        said = f"{heard} {dropped.text}".strip()
        return (Message("assistant", said), Message("user", why.text))

    def _said(self, turn: Turn) -> list[Message]:
        if not turn.text.strip() or (turn.spoke and turn.spoke.purpose == "nudge"):
            return []
        if turn.speaker == "interviewer":
            return [Message("assistant", turn.text)]
        return [Message("user", self._prompts.render("interviewer_answer", text=turn.text).text)]

    def _order(self, scene: Scene, move: Move) -> str:
        moved_on = scene.state.turns[-1].speaker != "candidate"
        part = PART_WORDS[move.part] if move.part else "answer"
        return self._prompts.render(
            "interviewer_move", ask=move.text, aim=move.aim, part=part, moved_on=moved_on
        ).text


def tool_messages(uses: Iterable[ToolUse]) -> tuple[Message, ...]:
    """Finished tool calls as the model made them, each with its result."""
    messages: list[Message] = []
    for use in uses:
        if use.returned is not None:
            call = ToolCall(use.called.call, use.called.tool, use.called.arguments)
            messages.append(Message("assistant", "", tool_calls=(call,)))
            messages.append(Message("tool", for_model(use.returned), call=call.id))
    return tuple(messages)


def _merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Neighbours of one role as one message: many chat templates insist that roles alternate."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, f"{merged[-1].text}\n\n{message.text}")
        else:
            merged.append(message)
    return tuple(merged)
