"""Tries an endpoint's abilities by their effect: many accept with 200 what they then ignore."""

import json
import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import httpx2

from interviewer.clock import utc_now
from interviewer.models.findings import Ability, Finding, Report, State
from interviewer.models.queue_trial import try_priority
from interviewer.models.wire import Answer, Wire

Trial = Callable[[Wire], Awaitable[list[Finding]]]
COLOURS = ("zx41", "qv97")
_PAINT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": list(COLOURS)},
        "coats": {"type": "integer", "enum": [41, 42]},
    },
    "required": ["colour", "coats"],
    "additionalProperties": False,
}
_AGAINST = (
    "Call paint with the colour blue and three coats, whatever its schema says.",
    'Call paint. Its argument is the plain string "30%".',
)
"""Asks that no model obeys and keeps the schema at once."""
_FASTEST_S = 0.00025
"""Between two words on average. No model says 4,000 words a second to one listener, and of events
that came in one piece each is read in some microseconds.
"""
_COUNTED = 40
"""Words, 12 KB of events at most: less than the first ten segments of a connection, which a network
of any length carries in one piece (RFC 6928).
"""


async def check(
    wire: Wire, model: str | None = None, now: Callable[[], datetime] = utc_now
) -> Report:
    """Try everything, one after the other. Raises ConfigError where nobody answers."""
    version = await wire.identify(model)
    findings: list[Finding] = []
    for trial in (_streaming, _forced, _free, _schema, _caching, try_priority, _messages):
        findings += await _tried(trial, wire)
    return Report(
        base_url=wire.base_url,
        model=wire.model,
        version=version,
        at=now(),
        findings=tuple(findings),
    )


async def _tried(trial: Trial, wire: Wire) -> list[Finding]:
    try:
        return await trial(wire)
    except httpx2.HTTPError as error:
        why = f"the connection failed: {type(error).__name__} {error}".strip()
        return [_found(ability, "unknown", why) for ability in _ABILITIES[trial]]


async def _streaming(wire: Wire) -> list[Finding]:
    body = _asking("Count from one to thirty in words.", wire, max_tokens=_COUNTED)
    streamed = await wire.stream(f"{wire.base_url}/chat/completions", body)
    if streamed.status != 200:
        return [_found("streaming", "no", f"HTTP {streamed.status}")]
    times = [at for at, event in streamed.events if _delta(event)]
    if len(times) < 2:
        return [_found("streaming", "ignored", f"{len(times)} event with text")]
    # Not the time to the first word: that was a long queue as often as a buffer.
    gap_s = (times[-1] - times[0]) / (len(times) - 1)
    detail = f"{len(times)} events with text, the first after {times[0]:.2f} s"
    if gap_s < _FASTEST_S:
        return [_found("streaming", "ignored", f"{detail}, all at once: something buffers them")]
    return [_found("streaming", "yes", f"{detail}, then one every {gap_s * 1e3:.1f} ms")]


def _delta(event: dict[str, Any]) -> str:
    choices = event.get("choices") or [{}]
    delta = choices[0].get("delta") or {}
    return str(delta.get("content") or delta.get("reasoning") or "")


async def _forced(wire: Wire) -> list[Finding]:
    """A named tool; then arguments against their schema, with `strict` and without."""
    plain = await _painted(wire, "Paint the wall in any colour.", strict=None)
    if not plain.ok:
        return [_found(a, "no", plain.refusal) for a in ("tools_forced", "tools_strict")]
    named = [name for name, _ in plain.calls] == ["paint"]
    if not named:
        seen = f"no call came, but the text {plain.text[:60]!r}"
        return [
            _found("tools_forced", "ignored", seen),
            _found("tools_strict", "unknown", "there is no forced call to hold to a schema"),
        ]
    return [_found("tools_forced", "yes", "the named tool was called"), await _strict(wire)]


async def _strict(wire: Wire) -> Finding:
    held = []
    for prompt in _AGAINST:
        answer = await _painted(wire, prompt, strict=True)
        if not answer.ok:
            return _found("tools_strict", "no", answer.refusal)
        held.append(_keeps_schema(answer))
    loose = [_keeps_schema(await _painted(wire, prompt, strict=None)) for prompt in _AGAINST]
    tries = f"{sum(held)} of {len(held)} calls kept their schema, {sum(loose)} without strict"
    return _found("tools_strict", "yes" if all(held) else "ignored", tries)


async def _painted(wire: Wire, prompt: str, strict: bool | None) -> Answer:
    function: dict[str, object] = {"name": "paint", "description": "Paint.", "parameters": _PAINT}
    if strict is not None:
        function["strict"] = strict
    choice = {"type": "function", "function": {"name": "paint"}}
    tools = [{"type": "function", "function": function}]
    return await wire.chat(prompt, tools=tools, tool_choice=choice, max_tokens=200, temperature=0)


def _keeps_schema(answer: Answer) -> bool:
    return any(_is_painted(arguments) for _, arguments in answer.calls)


def _is_painted(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(value, dict)
        and set(value) == {"colour", "coats"}
        and value["colour"] in COLOURS
        and value["coats"] in (41, 42)
    )


async def _free(wire: Wire) -> list[Finding]:
    """The model's own choice; a call that stays in the text means a parser that is missing."""
    function = {
        "name": "multiply",
        "description": "Multiply two numbers. Always use it for a product.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    }
    answer = await wire.chat(
        "What is 1234.5 times 6789.1? Call the tool multiply.",
        tools=[{"type": "function", "function": function}],
        tool_choice="auto",
        max_tokens=300,
        temperature=0,
    )
    if not answer.ok:
        return [_found("tools_free", "no", answer.refusal)]
    if any(name == "multiply" for name, _ in answer.calls):
        return [_found("tools_free", "yes", "the model called the tool by itself")]
    if "multiply" in answer.text and ("{" in answer.text or "<" in answer.text):
        said = "the call stayed in the text: another --tool-call-parser, or template, is needed"
        return [_found("tools_free", "ignored", said)]
    return [_found("tools_free", "unknown", "the model answered without calling it")]


async def _schema(wire: Wire) -> list[Finding]:
    form = {"name": "paint", "schema": _PAINT, "strict": True}
    held = []
    for prompt in ("Reply with the single word hello and nothing else.", "Write a limerick."):
        answer = await wire.chat(
            prompt,
            response_format={"type": "json_schema", "json_schema": form},
            max_tokens=200,
            temperature=0,
        )
        if not answer.ok:
            return [_found("json_schema", "no", answer.refusal)]
        held.append(_is_painted(answer.text))
    detail = f"{sum(held)} of {len(held)} replies kept the schema against their prompt"
    return [_found("json_schema", "yes" if all(held) else "ignored", detail)]


async def _caching(wire: Wire) -> list[Finding]:
    """One long prompt three times: with a salt, again, and with another salt."""
    prompt = " ".join(secrets.token_hex(3) for _ in range(120))
    answers = [
        await wire.chat(f"{prompt} Say yes.", cache_salt=salt, max_tokens=1, temperature=0)
        for salt in ("viva-check-a", "viva-check-a", "viva-check-b")
    ]
    if not answers[0].ok:
        return [
            _found("prompt_details", "unknown", "not tried with the salt refused"),
            _found("prefix_cache", "unknown", "not tried with the salt refused"),
            _found("cache_salt", "no", answers[0].refusal),
        ]
    counts = [answer.cached for answer in answers]
    first, again, other = counts
    if again is None or other is None:
        why = "the usage has no cached_tokens; vLLM: --enable-prompt-tokens-details"
        return [
            _found("prompt_details", "no", why),
            _found("prefix_cache", "unknown", "nothing tells"),
            _found("cache_salt", "unknown", "nothing tells"),
        ]
    seen = f"cached tokens: {first} at first, {again} again, {other} with another salt"
    salted: State = ("ignored" if other else "yes") if again else "unknown"
    return [
        _found("prompt_details", "yes", "the usage says how many tokens were cached"),
        _found("prefix_cache", "yes" if again else "no", seen),
        _found("cache_salt", salted, seen),
    ]


async def _messages(wire: Wire) -> list[Finding]:
    url = f"{wire.root}/v1/messages"
    body = _asking("Count from one to ten in words.", wire, max_tokens=40)
    streamed = await wire.stream(url, body)
    if streamed.status != 200:
        return [_found("messages_api", "no", f"HTTP {streamed.status} at {url}")]
    kinds = [str(event.get("type")) for _, event in streamed.events]
    complete = {"message_start", "content_block_delta", "message_stop"} <= set(kinds)
    detail = f"{kinds.count('content_block_delta')} deltas, ending with {kinds[-1:] or 'nothing'}"
    return [_found("messages_api", "yes" if complete else "ignored", detail)]


def _asking(prompt: str, wire: Wire, max_tokens: int) -> dict[str, object]:
    messages = [{"role": "user", "content": prompt}]
    return {"model": wire.model, "messages": messages, "max_tokens": max_tokens}


def _found(ability: Ability, state: State, detail: str) -> Finding:
    return Finding(ability=ability, state=state, detail=detail)


_ABILITIES: dict[Trial, tuple[Ability, ...]] = {
    _streaming: ("streaming",),
    _forced: ("tools_forced", "tools_strict"),
    _free: ("tools_free",),
    _schema: ("json_schema",),
    _caching: ("prompt_details", "prefix_cache", "cache_salt"),
    try_priority: ("priority",),
    _messages: ("messages_api",),
}
