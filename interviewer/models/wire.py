"""Raw HTTP to an endpoint that is being tried: no SDK, so that nothing is smoothed over."""

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

import httpx2

from interviewer.errors import ConfigError

PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the decoded body, and `{}` where it was no JSON object."""

    status: int
    body: Mapping[str, Any]

    @property
    def ok(self) -> bool:
        """Whether the request was taken."""
        return self.status == 200

    @property
    def message(self) -> Mapping[str, Any]:
        """The first choice's message."""
        choices = self.body.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else {}
        message = first.get("message") if isinstance(first, dict) else None
        return message if isinstance(message, dict) else {}

    @property
    def text(self) -> str:
        """The reply's text."""
        content = self.message.get("content")
        return content if isinstance(content, str) else ""

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Name and raw arguments of each tool call."""
        calls = self.message.get("tool_calls")
        found = [_field(call, "function") for call in calls] if isinstance(calls, list) else []
        return [(str(_field(f, "name")), str(_field(f, "arguments"))) for f in found]

    @property
    def cached(self) -> int | None:
        """Prompt tokens that came from the cache; None where the endpoint does not say."""
        usage = self.body.get("usage")
        details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return cached if isinstance(cached, int) else None

    @property
    def refusal(self) -> str:
        """Why it was not taken, for people."""
        error = self.body.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        return f"HTTP {self.status}: {str(said or 'no reason given')[:160]}"


@dataclass(slots=True)
class Streamed:
    """A streamed reply: the seconds after the request at which each event came, and its payload."""

    status: int
    events: list[tuple[float, dict[str, Any]]] = field(default_factory=list)


class Wire:
    """One endpoint and one of its models. `base_url` ends in /v1. Close it after use."""

    def __init__(
        self,
        base_url: str,
        key: str = "none",
        client: httpx2.AsyncClient | None = None,
        patience_s: float = PATIENCE_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        base_url = base_url.rstrip("/")
        self.base_url = base_url if base_url.endswith("/v1") else f"{base_url}/v1"
        self.root = self.base_url.removesuffix("/v1")
        self.model = ""
        self._client = client or httpx2.AsyncClient(timeout=patience_s)
        self._now = now
        self._headers = {"Authorization": f"Bearer {key}", "x-api-key": key}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def chat(self, prompt: str, **more: object) -> Answer:
        """One whole reply of /chat/completions."""
        body = {"model": self.model, "messages": [{"role": "user", "content": prompt}], **more}
        return await self.post(f"{self.base_url}/chat/completions", body)

    async def post(self, url: str, body: Mapping[str, object]) -> Answer:
        """POST JSON."""
        response = await self._client.post(url, json=body, headers=self._headers)
        return Answer(response.status_code, _object(response.text))

    async def stream(self, url: str, body: Mapping[str, object]) -> Streamed:
        """POST JSON and read the events to the end."""
        begun = self._now()
        request = self._client.stream(
            "POST", url, json={**body, "stream": True}, headers=self._headers
        )
        async with request as response:
            streamed = Streamed(response.status_code)
            async for payload in _payloads(response):
                streamed.events.append((self._now() - begun, payload))
        return streamed

    async def get(self, url: str) -> str | None:
        """The text at a URL; None where there is none, whatever the reason."""
        with suppress(httpx2.HTTPError):
            response = await self._client.get(url, headers=self._headers)
            return response.text if response.status_code == 200 else None
        return None

    async def identify(self, model: str | None) -> str:
        """Choose the model, the first one listed unless named; the server's version, or ''.

        Raises ConfigError where nobody answers or the model is not there.
        """
        listed = await self.get(f"{self.base_url}/models")
        if listed is None:
            raise ConfigError(f"{self.base_url}/models does not answer; check the URL and the key")
        data = _object(listed).get("data")
        names = [str(_field(item, "id")) for item in data] if isinstance(data, list) else []
        self.model = model or (names[0] if names else "")
        if self.model not in names:
            raise ConfigError(
                f"model {self.model!r} is not served; there are: {', '.join(names) or 'none'}"
            )
        return await self.version()

    async def version(self) -> str:
        """As vLLM's /version says; '' where there is none."""
        return str(_object(await self.get(f"{self.root}/version") or "").get("version", ""))


def _field(item: object, name: str) -> object:
    """A field of what should be an object; None where it is none or lacks it."""
    return item.get(name) if isinstance(item, dict) else None


async def _payloads(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    if response.status_code != 200:
        await response.aread()
        return
    async for line in response.aiter_lines():
        if line.startswith("data:") and "{" in line:
            yield _object(line[5:])


def _object(text: str) -> dict[str, Any]:
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}
