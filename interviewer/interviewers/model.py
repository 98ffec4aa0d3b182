"""The interviewer with a model: code chooses what to ask, the model words it and may use tools."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from interviewer.errors import LLMError, TokenBoundReached
from interviewer.events import InterviewerSpoke, StatementDropped, Usage
from interviewer.grounding.ledger import Ledger
from interviewer.interviewers.briefing import Briefer, tool_messages
from interviewer.interviewers.card import assess, spoken
from interviewer.interviewers.choice import Move, next_move, questions_asked
from interviewer.interviewers.manner import sentences
from interviewer.interviewers.scene import Floor, Scene
from interviewer.interviewers.speech import Dropped, Secrets, Speech
from interviewer.interviewers.toolbox import Tool, Toolbox, called
from interviewer.llm.protocol import LLM, Hear, Message, Reply, Request, ToolCall, ToolSpec
from interviewer.prompts.library import PromptLibrary
from interviewer.round import ToolUse
from questions.model import Probe
from tools.result import Result

logger = logging.getLogger(__name__)

Amount = TypeVar("Amount", int, float)
MOST_CALLS = 6
"""Tool calls a turn."""
MOST_TOKENS = 300
_LEFTOVER_S = 0.5
"""How long to read on after the question: a model that is done reports its usage at once."""


@dataclass(slots=True)
class _Turn:
    """One turn in the making."""

    scene: Scene
    floor: Floor
    move: Move
    speech: Speech
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    prompt_hash: str
    ledger: Ledger
    uses: list[ToolUse]
    retried: bool = False
    usage: Usage | None = None
    calls: tuple[ToolCall, ...] = ()
    """What the last reply asked for."""


class ModelInterviewer:
    """Opening, curveball and closing are the card's words; each probe is worded by the model.

    Numbers and manner are checked while the words stream. Where the model yields nothing usable,
    the card's own wording stands in, and a StatementDropped says why.
    """

    def __init__(self, llm: LLM, prompts: PromptLibrary, tools: Mapping[str, Tool]) -> None:
        self.name = llm.name
        self._llm = llm
        self._toolbox = Toolbox(tools)
        self._tools_allowed = llm.capabilities.tools
        self._briefer = Briefer(prompts)

    async def warm(self, scene: Scene) -> None:
        """A completion of one token over the round's prefix; raises LLMError.

        An endpoint that refuses tools (vLLM without --enable-auto-tool-choice) is used without.
        """
        probe = self._probe(scene)
        try:
            await self._llm.reply(probe)
        except LLMError as error:
            if not self._laid_down(probe.tools, error):
                raise
            await self._llm.reply(self._probe(scene))

    async def speak(self, scene: Scene, floor: Floor) -> None:
        """One turn; see `Interviewer.speak`."""
        move = next_move(scene, await assess(scene))
        if move.purpose != "probe":
            floor.say(move.text)
            await floor.keep(spoken(move, scene, self.name))
            return
        turn = self._turn(scene, floor, move)
        try:
            await self._word(turn)
        except LLMError as error:
            if turn.uses or turn.speech.said or not self._laid_down(turn.tools, error):
                raise
        if turn.speech.said:
            await floor.keep(self._spoken(turn))
        else:
            await self.speak(scene, floor)

    def _spoken(self, turn: _Turn) -> InterviewerSpoke:
        move, said = turn.move, turn.speech.said
        return InterviewerSpoke(
            text=said,
            purpose=move.purpose,
            speaker=self.name,
            probe=move.probe.id if move.probe else None,
            part=move.part,
            limit_s=move.limit_s,
            figures=turn.ledger.ground(said).figures,
            prompt_hash=turn.prompt_hash,
            usage=turn.usage,
        )

    def _laid_down(self, tools: tuple[ToolSpec, ...], error: LLMError) -> bool:
        """Whether the endpoint refused these tools; then no request has any from now on.

        Another round may have laid them down while this request was under way.
        """
        if not tools or error.kind != "bad_request" or "tool" not in str(error).lower():
            return False
        if self._tools_allowed:
            logger.warning("%s is used without tools: %s", self.name, error)
        self._tools_allowed = False
        return True

    def _tools(self, scene: Scene) -> tuple[ToolSpec, ...]:
        return self._toolbox.specs(scene.card) if self._tools_allowed else ()

    def _probe(self, scene: Scene) -> Request:
        tools = self._tools(scene)
        prefix = self._briefer.prefix(scene, tools=bool(tools))
        return Request(prefix, tools=tools, max_tokens=1)

    def _turn(self, scene: Scene, floor: Floor, move: Move) -> _Turn:
        tools = self._tools(scene)
        briefing = self._briefer.turn(scene, move, tools=bool(tools))
        return _Turn(
            scene=scene,
            floor=floor,
            move=move,
            speech=Speech(_secrets(scene, move), _asked(scene)),
            tools=tools,
            messages=briefing.messages,
            prompt_hash=briefing.prompt_hash,
            ledger=scene.ledger,
            uses=list(scene.state.tool_uses),
        )

    async def _word(self, turn: _Turn) -> None:
        """Replies and tool calls until a question was asked, or the card must ask it."""
        await self._run_tools(turn)
        turn.messages += tool_messages(turn.uses)
        while True:
            await self._reply(turn)
            await _finish(turn)
            fault = turn.speech.fault
            if turn.speech.done:
                return
            if fault is not None and not turn.retried:
                turn.messages += self._briefer.retry(turn.speech.said, fault, turn.move)
                turn.retried = True
            elif turn.calls and fault is None and len(turn.uses) < MOST_CALLS:
                await self._use_tools(turn)
            else:
                break
        if fault is None:
            await turn.floor.keep(_dropped(Dropped("", "no_question"), turn.retried))
        turn.floor.say(turn.speech.append(_own_words(turn)))

    async def _reply(self, turn: _Turn) -> None:
        """One reply of the model, as far as it may be heard."""
        turn.calls = ()
        turn.speech.go_on(turn.ledger)
        request = Request(turn.messages, turn.tools, _tool_choice(turn), max_tokens=MOST_TOKENS)
        try:
            async with asyncio.timeout(None) as limit:
                _count(turn, await self._llm.reply(request, _hearing(turn, limit)))
        except (LLMError, TimeoutError) as error:
            # A reply that rambles to its bound is no failure of the endpoint: the card asks this.
            if not (turn.speech.stopped or isinstance(error, TokenBoundReached)):
                raise

    async def _use_tools(self, turn: _Turn) -> None:
        """Record each call, then run it; calls over the bound are passed over."""
        begun = len(turn.uses)
        for call in turn.calls[: MOST_CALLS - begun]:
            event = called(_call_id(turn), call)
            turn.uses.append(ToolUse(event))
            await turn.floor.keep(event)
            await self._run_tools(turn)
        turn.messages += tool_messages(turn.uses[begun:])

    async def _run_tools(self, turn: _Turn) -> None:
        """Run what was recorded as called and has not returned: also after a crash."""
        for at, use in enumerate(turn.uses):
            if use.returned is not None:
                continue
            returned = await self._toolbox.run(use.called)
            turn.uses[at] = ToolUse(use.called, returned)
            if returned.ok:
                result = Result.model_validate(returned.result)
                turn.ledger = turn.ledger.with_result(returned.call, result)
            await turn.floor.keep(returned)


def _hearing(turn: _Turn, limit: asyncio.Timeout) -> Hear:
    """Says what may be heard of a reply, up to the question or a fault, which limits the rest."""
    speech, say = turn.speech, turn.floor.say

    def hear(delta: str) -> None:
        if speech.stopped:
            return
        if text := speech.feed(delta):
            say(text)
        if speech.stopped:
            left_s = _LEFTOVER_S if speech.done else 0.0
            limit.reschedule(asyncio.get_running_loop().time() + left_s)

    return hear


async def _finish(turn: _Turn) -> None:
    """Say what a finished reply leaves to be said, and keep what it said in vain."""
    speech = turn.speech
    if text := speech.close(final=not turn.calls):
        turn.floor.say(text)
    faults = [speech.fault] if speech.fault else []
    for dropped in (*speech.take_dropped(), *faults):
        await turn.floor.keep(_dropped(dropped, turn.retried))


def _tool_choice(turn: _Turn) -> str:
    """A question about one of the card's numbers begins with the tool behind that number."""
    if len(turn.uses) >= MOST_CALLS:
        return "none"
    when = turn.move.probe.when if turn.move.probe else None
    fact = (when.wrong or when.unstated) if when else None
    if fact is None or turn.uses or turn.retried:
        return "auto"
    behind = next((f.tool for f in turn.scene.card.facts if f.id == fact), None)
    return behind if behind in {spec.name for spec in turn.tools} else "auto"


def _count(turn: _Turn, reply: Reply) -> None:
    turn.calls = reply.tool_calls
    before, now = turn.usage or Usage(), reply.usage
    turn.usage = Usage(
        prompt_tokens=before.prompt_tokens + now.prompt_tokens,
        completion_tokens=before.completion_tokens + now.completion_tokens,
        cached_tokens=_sum(before.cached_tokens, now.cached_tokens),
        first_token_s=before.first_token_s or now.first_token_s,
        total_s=_sum(before.total_s, now.total_s),
    )


def _sum(first: Amount | None, second: Amount | None) -> Amount | None:
    return second if first is None else first if second is None else first + second


def _call_id(turn: _Turn) -> str:
    """Our own ids: unique in the round whatever the endpoint sends, and nine letters and digits,
    which the strictest chat templates (Mistral's) ask for.
    """
    return f"t{len(turn.scene.state.turns) + 1:04d}c{len(turn.uses) + 1:03d}"


def _dropped(dropped: Dropped, retried: bool) -> StatementDropped:
    return StatementDropped(
        text=dropped.text, quantity=dropped.quantity, retried=retried, reason=dropped.reason
    )


def _own_words(turn: _Turn) -> str:
    """The card's wording; after words of the model only its question, to stay within bounds."""
    ask = turn.move.text
    if not turn.speech.said:
        return ask
    return sentences(ask)[-1]


def _asked(scene: Scene) -> list[str]:
    return [turn.text for turn in questions_asked(scene)]


def _secrets(scene: Scene, move: Move) -> Secrets:
    card, turns = scene.card, scene.state.turns
    said = (card.title, card.question, *card.scenario, move.text, *(turn.text for turn in turns))
    answers = (card.model_answer, card.short_answer, *_good(card.probes))
    return Secrets(answers, said)


def _good(probes: tuple[Probe, ...]) -> list[str]:
    return [text for probe in probes for text in (probe.good, *_good(probe.then))]
