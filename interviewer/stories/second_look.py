"""A judge looks for contradictions that code cannot find; only word-for-word quotes are kept."""

import json
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from interviewer.errors import LLMError
from interviewer.events import Contradiction, StoryChecked
from interviewer.llm.protocol import LLM, Message, Request
from interviewer.prompts import PromptLibrary
from interviewer.stories.contradictions import Source

PROMPTS = ("story_system", "story_user")
MAX_TOKENS = 1_500
MOST = 6
LONGEST_QUOTE = 240


class _Found(BaseModel):
    model_config = ConfigDict(extra="forbid")

    telling_quote: str
    story_quote: str


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    contradictions: list[_Found]


async def look(
    llm: LLM,
    prompts: PromptLibrary,
    round_id: str,
    said: Sequence[tuple[int, str]],
    sources: Sequence[Source],
) -> StoryChecked:
    """What the judge found; a failure is told in the event, never raised."""
    empty = StoryChecked(
        round=round_id, judge=f"judge/{llm.name}", prompt_hash=prompts.hash(*PROMPTS)
    )
    try:
        reply = await llm.reply(_request(llm, prompts, said, sources))
        found = _Reply.model_validate(json.loads(_json_in(reply.text)))
    except LLMError as error:
        reason = f"the judge could not be asked: {error} ({error.kind})"
        return empty.model_copy(update={"failed": reason})
    except (ValueError, ValidationError, RecursionError):
        return empty.model_copy(update={"failed": "the judge's reply could not be read"})
    kept = tuple(_verified(found.contradictions[:MOST], said, sources))
    return empty.model_copy(update={"found": kept})


def _request(
    llm: LLM, prompts: PromptLibrary, said: Sequence[tuple[int, str]], sources: Sequence[Source]
) -> Request:
    user = prompts.render("story_user", sources=sources, said=said)
    return Request(
        messages=(
            Message("system", prompts.render("story_system").text),
            Message("user", user.text),
        ),
        tool_choice="none",
        response_schema=_SCHEMA if llm.capabilities.json_schema else None,
        max_tokens=MAX_TOKENS,
        temperature=0.0,
    )


def _verified(
    found: Sequence[_Found], said: Sequence[tuple[int, str]], sources: Sequence[Source]
) -> Iterator[Contradiction]:
    for one in found:
        ours, theirs = one.telling_quote.strip(), one.story_quote.strip()
        turn = next((number for number, text in said if ours and ours in text), None)
        source = next((s.name for s in sources if theirs and theirs in s.text), None)
        if turn is None or source is None or ours == theirs:
            continue
        yield Contradiction(
            kind="other",
            turn=turn,
            said=ours,
            sentence=ours,
            stated=theirs,
            stated_sentence=theirs,
            source=source,
        )


def _json_in(text: str) -> str:
    return text[text.find("{") : text.rfind("}") + 1]


_QUOTE = {"type": "string", "maxLength": LONGEST_QUOTE}
_SCHEMA = {
    "type": "object",
    "properties": {
        "contradictions": {
            "type": "array",
            "maxItems": MOST,
            "items": {
                "type": "object",
                "properties": {"telling_quote": _QUOTE, "story_quote": _QUOTE},
                "required": ["telling_quote", "story_quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["contradictions"],
    "additionalProperties": False,
}
