"""Turns what the SDKs and the transport raise into LLMError. Knows status codes, no provider."""

from collections.abc import Mapping
from typing import Any

import httpx2

from interviewer.errors import LLMError, LLMErrorKind

_BAD_REQUEST = frozenset({400, 404, 405, 410, 413, 415, 422})
_LONGEST_MESSAGE = 500


def from_status(status: int, body: object, headers: Mapping[str, str]) -> LLMError:
    """The error for an HTTP status that is not 200; `body` is what the SDK made of the answer."""
    kind, retryable = _kind(status, body)
    if kind == "auth":
        # The body is left out: endpoints like to repeat the key that they refuse.
        return LLMError(kind, f"the endpoint refused the API key (HTTP {status}); check it")
    message = f"HTTP {status}: {_message(body) or 'no reason given'}"
    if status == 404:
        message += " (check the model's name, and the base URL: it usually ends in /v1)"
    return LLMError(kind, message, retryable=retryable, retry_after_s=_retry_after(headers))


def from_error_event(error: object) -> LLMError:
    """The error for a failure that the endpoint reports inside a stream that began well."""
    message = _message(error) or "no reason given"
    name = str(error.get("type") or error.get("code")) if isinstance(error, dict) else ""
    if "rate_limit" in name or "429" in name:
        return LLMError("rate_limited", f"in the stream: {message}", retryable=True)
    if "invalid_request" in name or "BadRequest" in name:
        return LLMError("bad_request", f"in the stream: {message}")
    return LLMError("server", f"in the stream: {message}", retryable=True)


def from_transport(error: Exception) -> LLMError:
    """The error for a connection that failed or broke off, told from a timeout by its root cause.

    The aiohttp transport calls a refused connection a ConnectTimeout, so its word is not enough.
    """
    root: BaseException = error
    while root.__cause__ is not None:
        root = root.__cause__
    timed_out = isinstance(root, TimeoutError | httpx2.TimeoutException)
    what = str(root) or type(root).__name__
    if timed_out and not isinstance(root, httpx2.ConnectTimeout):
        return LLMError("timeout", f"the endpoint did not answer in time: {what}")
    return LLMError("unreachable", f"the endpoint cannot be reached: {what}", retryable=True)


def _kind(status: int, body: object) -> tuple[LLMErrorKind, bool]:
    if status in (401, 403):
        return "auth", False
    if status == 429:
        # A spent quota does not come back by waiting.
        return "rate_limited", "insufficient_quota" not in str(body)
    if status in (408, 409) or status >= 500:
        return "server", True
    return ("bad_request", False) if status in _BAD_REQUEST else ("protocol", False)


def _message(body: object) -> str:
    inner: Any = body
    if isinstance(inner, dict) and isinstance(inner.get("error"), dict | str):
        inner = inner["error"]
    if isinstance(inner, dict):
        inner = inner.get("message", "")
    return inner[:_LONGEST_MESSAGE] if isinstance(inner, str) else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; the form with a date is not used by model endpoints and is ignored."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
