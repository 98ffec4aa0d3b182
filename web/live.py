"""The live socket of a round: opens the round and lets the newest connection win."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.types import Receive, Scope, Send

from web import wire
from web.connection import Connection
from web.outbox import DEFAULT_LIMIT, WRITE_NOW, Outbox, never
from web.wire import CloseCode

if TYPE_CHECKING:
    from interviewer.assembly import Viva

PATH = "/rounds/{round_id}/live"


class Live:
    """Serves every round's socket; a round has one connection at a time."""

    def __init__(self, viva: "Callable[[], Viva]", outbox_limit: int = DEFAULT_LIMIT) -> None:
        self._viva = viva
        self._outbox_limit = outbox_limit
        self._connections: dict[str, Connection] = {}

    @property
    def connections(self) -> tuple[Connection, ...]:
        """The sockets that are open now."""
        return tuple(self._connections.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One socket from its handshake to its end; the gate has let it in."""
        await receive()
        await send({"type": "websocket.accept"})
        try:
            session = await self._viva().rounds.open(scope["path_params"]["round_id"])
            dictations = self._viva().dictations
            dictation = await dictations.of(session) if dictations else None
        except wire.REFUSALS as error:
            await _turn_away(send, error)
            return
        write_now = scope.get("extensions", {}).get(WRITE_NOW, never)
        outbox = Outbox(self._outbox_limit, write_now)
        connection = Connection(session, receive, send, outbox, dictation)
        await self._serve(connection, scope)

    async def _serve(self, connection: Connection, scope: Scope) -> None:
        session = connection.session
        older = self._connections.get(session.id)
        self._connections[session.id] = connection
        if older is not None:
            older.close(CloseCode.TAKEN_OVER, "opened elsewhere")
        session.advance()
        try:
            await connection.run(*_cursor(scope))
        finally:
            if self._connections.get(session.id) is connection:
                del self._connections[session.id]


async def _turn_away(send: Send, error: Exception) -> None:
    answer = wire.answer(error)
    problem = wire.encode(wire.Problem(answer.code, str(error)))
    await send({"type": "websocket.send", "text": problem.decode()})
    code = answer.close or CloseCode.TRY_LATER
    await send({"type": "websocket.close", "code": int(code), "reason": answer.code})


def _cursor(scope: Scope) -> tuple[int, str]:
    """What the client has seen: `after` and `at`; a malformed `after` is no event of ours."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    after, at = (query.get(name, [""])[-1] for name in ("after", "at"))
    if not after:
        return 0, ""
    return (int(after) if after.isascii() and after.isdigit() and len(after) < 16 else -1), at
