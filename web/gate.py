"""The one gate before every HTTP request and every socket: host, origin, session, security headers.

Pure ASGI and outermost, so that error pages and refusals carry the headers too. Knows no route
but the open ones.
"""

import json
from collections.abc import Callable, Iterable
from typing import cast
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.login import Sessions
from web.origins import Neighbours, Refused, headers_of, is_unsafe

# style-src without unsafe-inline: pages style by class. connect-src 'self' covers our own socket.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
    )
)

# Not no-referrer: under it browsers send `Origin: null` with our own forms.
HEADERS: tuple[tuple[str, str], ...] = (
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("permissions-policy", "microphone=(self), camera=(), geolocation=(), payment=(), usb=()"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)
Header = tuple[bytes, bytes]
_RAW = tuple((name.encode(), value.encode()) for name, value in HEADERS)
_HSTS = (b"strict-transport-security", b"max-age=31536000")
_ASK_AGAIN = (b"cache-control", b"private, no-cache")
# The path of a static file holds a hash of all of them.
_KEEP = (b"cache-control", b"public, max-age=31536000, immutable")

OPEN_PATHS = ("/login", "/healthz")
"""Served without a session where a password is set; so is everything below /static/."""


class Gate:
    """Wraps the application. `sessions` answers None where no password is set."""

    def __init__(
        self, app: ASGIApp, neighbours: Neighbours, sessions: Callable[[], Sessions | None]
    ) -> None:
        self.app = app
        self.neighbours = neighbours
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the security headers added to the answer."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        guarded = _with_headers(scope, send)
        try:
            self._check(scope)
        except Refused as refused:
            await _refuse(scope, receive, guarded, refused)
            return
        # Once a socket is let in there are no headers to add: its frames go straight out.
        await self.app(scope, receive, guarded if scope["type"] == "http" else send)

    def _check(self, scope: Scope) -> None:
        headers = headers_of(scope["headers"])
        scheme = str(scope["scheme"]).replace("ws", "http")
        own = self.neighbours.check_host(headers, scheme)
        if is_unsafe(scope["type"], scope.get("method", "")):
            self.neighbours.check_origin(headers, own)
        sessions = self.sessions()
        if sessions is None or is_open(route_path(scope)):
            return
        address = str((scope.get("client") or ("",))[0])
        if not sessions.recognise(headers, address):
            raise Refused(401 if scope["type"] == "http" else 403, "Log in first.")


def route_path(scope: Scope) -> str:
    """The path below the sub-path that Viva is served under."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path", "")))


def is_open(path: str) -> bool:
    """Whether a path is served without a session."""
    return path in OPEN_PATHS or path.startswith("/static/")


def _with_headers(scope: Scope, send: Send) -> Send:
    https = scope["scheme"] in {"https", "wss"}
    is_static = route_path(scope).startswith("/static/")

    async def guarded(message: Message) -> None:
        if message["type"] in {"http.response.start", "websocket.http.response.start"}:
            kept = is_static and message["status"] in (200, 304)
            headers = _merged(message.get("headers", ()), _KEEP if kept else _ASK_AGAIN)
            message["headers"] = [*headers, _HSTS] if https else headers
        await send(message)

    return guarded


def _merged(raw: Iterable[Header], caching: Header) -> list[Header]:
    ours = {name for name, _ in _RAW}
    kept = [(name, value) for name, value in raw if name.lower() not in ours]
    kept.extend(_RAW)
    if not any(name.lower() == b"cache-control" for name, _ in kept):
        kept.append(caching)
    return kept


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
    """Answer without the application: a socket is refused before it is accepted."""
    if scope["type"] == "websocket":
        await receive()
        await _respond(send, "websocket.http.response", refused.status, str(refused))
        return
    if refused.status == 401 and _wants_page(scope):
        await _to_login(scope, send)
        return
    await _respond(send, "http.response", refused.status, str(refused))


def _wants_page(scope: Scope) -> bool:
    accept = next((value for name, value in scope["headers"] if name.lower() == b"accept"), b"")
    return b"text/html" in accept


async def _to_login(scope: Scope, send: Send) -> None:
    query = cast(bytes, scope.get("query_string", b"")).decode("latin-1")
    path = route_path(scope) + (f"?{query}" if query else "")
    here = quote(path if scope["method"] == "GET" else "/", safe="")
    target = f"{scope.get('root_path', '')}/login?next={here}".encode("ascii")
    start = {"type": "http.response.start", "status": 303, "headers": [(b"location", target)]}
    await send(start)
    await send({"type": "http.response.body", "body": b""})


async def _respond(send: Send, kind: str, status: int, message: str) -> None:
    body = json.dumps({"code": "refused", "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="Viva"'))
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})
