"""Which model plays which role: parsed from the command line, built when used, kept apart."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from interviewer.errors import ConfigError
from interviewer.llm.protocol import LLM
from interviewer.settings import DEFAULT_URLS, MODEL, Endpoint, Provider, Settings, is_http

PLAIN = ("card", "rule", "scripted")


@dataclass(frozen=True, slots=True)
class Role:
    """Who plays a role: one of the plain names that need no model, or a model's endpoint."""

    role: str
    plain: str | None = None
    endpoint: Endpoint | None = None

    @property
    def identity(self) -> str:
        """Provider, model and address; two roles with the same identity are the same judge."""
        if self.endpoint is None:
            return self.plain or ""
        return f"{self.endpoint.provider}:{self.endpoint.model}@{self.endpoint.base_url}"

    @property
    def is_model(self) -> bool:
        """Whether calls cost something and may differ."""
        return self.endpoint is not None


def role(name: str, spec: str | None, settings: Settings, default: str) -> Role:
    """A role from 'vllm:MODEL@URL', a plain name, or None: what the settings name, else `default`.

    Raises ConfigError.
    """
    if spec in PLAIN:
        return Role(name, plain=spec)
    configured = settings.judge_endpoint() if name == "judge" else settings.endpoint()
    if spec is None:
        return Role(name, endpoint=configured) if configured else Role(name, plain=default)
    found = MODEL.fullmatch(spec)
    if not found:
        raise ConfigError(
            f"{spec!r}: give {', '.join(PLAIN)} or PROVIDER:MODEL@URL, "
            "such as vllm:Qwen/Qwen3-8B@http://127.0.0.1:8001/v1"
        )
    return Role(name, endpoint=_endpoint(name, found, settings))


def check_independent(subject: Role, judge: Role, allow: bool) -> str | None:
    """A notice where a model judges itself and that was allowed. Raises ConfigError else."""
    if not judge.is_model or judge.identity != subject.identity:
        return None
    if not allow:
        raise ConfigError(
            f"{judge.identity} would judge itself: name another --judge, or --allow-self-judge"
        )
    return f"{judge.identity} judged itself: its figures flatter it."


@asynccontextmanager
async def built(bound: Role, timeout_s: float) -> AsyncIterator[LLM | None]:
    """The role's model, closed when done; None for a plain name."""
    from interviewer.llm.build import build_llm

    if bound.endpoint is None:
        yield None
        return
    end = bound.endpoint
    llm = build_llm(end.provider, end.base_url, end.model, end.api_key, timeout_s=timeout_s)
    try:
        yield llm
    finally:
        await llm.aclose()


def _endpoint(name: str, found: re.Match[str], settings: Settings) -> Endpoint:
    kind, model, url = found.groups()
    provider: Provider = kind  # type: ignore[assignment]  # the pattern allows these three only
    base_url = url or DEFAULT_URLS.get(provider)
    if base_url is None:
        raise ConfigError(f"{kind}:{model}: name the server, as {kind}:{model}@http://HOST:8001/v1")
    if not is_http(base_url):
        raise ConfigError(f"{kind}:{model}@{base_url}: begin with http:// or https://, then a host")
    key = _key(name, provider, base_url, settings)
    if provider != "vllm" and key is None:
        raise ConfigError(f"{kind}:{model}: set VIVA_LLM_API_KEY or VIVA_JUDGE_API_KEY for it")
    return Endpoint(provider, base_url, model, key or "none")


def _key(name: str, provider: Provider, base_url: str, settings: Settings) -> str | None:
    """A key goes only to the address that it was set for; one set for none, to any."""
    set_ = [
        (settings.endpoint(), settings.llm_api_key),
        (settings.judge_endpoint(), settings.judge_api_key),
    ]
    ends = [end for end, _ in set_ if end and (end.provider, end.base_url) == (provider, base_url)]
    free = [key for end, key in set_ if end is None and key is not None]
    keys = [*(end.api_key for end in ends), *(key.get_secret_value() for key in free)]
    return keys[-1 if name == "judge" else 0] if keys else None
