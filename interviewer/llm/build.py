"""Makes the model that the settings name. The SDKs are imported here, on first use only."""

from dataclasses import dataclass
from typing import Literal

from interviewer.errors import ConfigError
from interviewer.llm.protocol import Capabilities
from interviewer.llm.retries import Retrying

Kind = Literal["vllm", "openai", "anthropic"]

_NO_KEY = "none"
"""The SDK insists on a key; a vLLM server without one ignores it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an endpoint was seen to do."""

    capabilities: Capabilities
    strict_tools: bool = True


_UNSEEN = Found(Capabilities(priority=True, cache_salt=True))
"""What vLLM can do unless somebody has looked."""


def build_llm(
    kind: Kind,
    base_url: str | None,
    model: str,
    api_key: str | None,
    *,
    cache_salt: str | None = None,
    timeout_s: float = 30.0,
    found: Found | None = None,
) -> Retrying:
    """A model with retries; close it with `aclose`. Raises ConfigError where something is missing.

    `base_url` None is the provider's own. `cache_salt` is a secret of the user, and `found` what
    `viva model check` has seen of the endpoint (both vLLM only).
    `timeout_s` bounds the wait for the first token, and for each one after it.
    """
    if kind == "vllm":
        if base_url is None:
            raise ConfigError("base_url=None: a vLLM model needs one, as http://localhost:8000/v1")
        key = api_key or _NO_KEY
        return _vllm(base_url, model, key, cache_salt, timeout_s, found or _UNSEEN)
    if not api_key:
        raise ConfigError(f"api_key=None: the {kind} model {model!r} needs an API key")
    if kind == "openai":
        return _openai(base_url, model, api_key, timeout_s)
    return _anthropic(base_url, model, api_key, timeout_s)


def _vllm(
    base_url: str, model: str, api_key: str, cache_salt: str | None, timeout_s: float, found: Found
) -> Retrying:
    from interviewer.llm.openai_chat import Dialect, OpenAIChat, connect
    from interviewer.llm.upstream import Timeouts

    chat = OpenAIChat(
        connect(base_url, api_key),
        model,
        capabilities=found.capabilities,
        dialect=Dialect(strict_tools=found.strict_tools, string_bounds=True),
        cache_salt=cache_salt,
        timeouts=Timeouts.both(timeout_s),
    )
    return Retrying(chat, close=chat.aclose)


def _openai(base_url: str | None, model: str, api_key: str, timeout_s: float) -> Retrying:
    from interviewer.llm.openai_chat import Dialect, OpenAIChat, connect
    from interviewer.llm.upstream import Timeouts

    dialect = Dialect(
        limit_field="max_completion_tokens", temperature=False, reasoning_tokens=4_000
    )
    chat = OpenAIChat(
        connect(base_url, api_key), model, dialect=dialect, timeouts=Timeouts.both(timeout_s)
    )
    return Retrying(chat, close=chat.aclose)


def _anthropic(base_url: str | None, model: str, api_key: str, timeout_s: float) -> Retrying:
    from interviewer.llm.anthropic_messages import AnthropicMessages, connect
    from interviewer.llm.upstream import Timeouts

    messages = AnthropicMessages(
        connect(base_url, api_key), model, timeouts=Timeouts.both(timeout_s)
    )
    return Retrying(messages, close=messages.aclose)
