"""Runs the application under uvicorn: one worker, limits on sockets, a clean end."""

import asyncio
import ctypes
import errno
import gc
import os
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import uvicorn
from starlette.types import ASGIApp
from uvicorn import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

from interviewer.errors import ConfigError, InterviewerError
from web.outbox import WRITE_NOW
from web.rendering import ENVIRONMENT
from web.wire import MAX_FRAME, CloseCode

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

    from interviewer.settings import Settings

GRACE_S = 8
"""Seconds for open requests and sockets when the server is told to stop."""
LINGER_S = 10.0
"""Seconds for a peer to read what was written before its socket was closed."""
KERNEL_BUFFER = 128 * 1024
"""Bytes of a connection that the kernel may hold, at least twice what is in flight at 1 MB/s."""
STUCK_MS = 60_000
"""Linux gives a connection up after so long without progress, whoever waits for it."""
SWITCH_S = 0.0005
_M_ARENA_MAX = -8
"""Of mallopt(3)."""
LOOP = "uvloop" if find_spec("uvloop") else "asyncio"
REMEDIES = {
    errno.EADDRINUSE: "set VIVA_PORT to another port, or stop the program that uses this one",
    errno.EACCES: "set VIVA_PORT to 1024 or more",
}
SDKS = {"vllm": "openai", "openai": "openai", "anthropic": "anthropic"}


class ImpatientProtocol(WebSocketsSansIOProtocol):
    """uvicorn's socket protocol, but a peer that does not read cannot hold up its own ending.

    The original queues the close frame behind the peer's unread bytes, and then waits for ever for
    them to be read.
    """

    def handle_connect(self, event: Request) -> None:
        """Hand the application, with the socket, a way to write that needs no task."""
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][WRITE_NOW] = self.write_now  # type: ignore[assignment]

    def write_now(self, payload: bytes) -> bool:
        """Write a text frame if the peer is there and keeps up; whether it was written."""
        if self._is_gone() or not self.writable.is_set():
            return False
        self._write(payload)
        return True

    def _is_gone(self) -> bool:
        return self.disconnected or self.close_sent or self.conn.state is not State.OPEN

    def _write(self, payload: bytes) -> None:
        # The library makes a frame object and a buffer for each: three times the cost.
        self.transport.write(text_frame(payload))

    async def send(self, message: "ASGISendEvent") -> None:
        """Send, or report a peer that is gone: never write after the close."""
        if self.close_sent and self.initial_response is None:
            raise ClientDisconnected
        if message["type"] == "websocket.send" and self.handshake_complete:
            await self.writable.wait()
            if self._is_gone():
                raise ClientDisconnected
            self._write((message["text"] or "").encode())
            return
        if message["type"] == "websocket.close":
            self.writable.set()
            self.loop.call_later(LINGER_S, self.transport.abort)
        await super().send(message)
        if message["type"] == "websocket.accept":
            # The library keeps them for good, and the gate has read what it needs of the scope.
            self.request.headers.clear()
            self.response.headers.clear()
            self.scope["headers"] = []

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; text that is not UTF-8 ends the socket, also while it is closing."""
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.frames = []
            self.conn.fail(CloseCode.BAD_UTF8, "text must be UTF-8")
            self.handle_parser_exception()
            return
        super().send_receive_event_to_app()


def text_frame(payload: bytes) -> bytes:
    """A server's text frame (RFC 6455, section 5.2): whole, unmasked, uncompressed."""
    size = len(payload)
    if size < 126:
        return b"\x81%c%b" % (size, payload)
    if size < 1 << 16:
        return struct.pack("!BBH", 0x81, 126, size) + payload
    return struct.pack("!BBQ", 0x81, 127, size) + payload


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class Announced(uvicorn.Server):
    """A uvicorn server that says when it has begun to listen."""

    def __init__(self, config: Config, announce: Callable[["Announced"], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then say so."""
        await super().startup(sockets)
        self._announce(self)


def bind(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one. ConfigError where the address cannot be had."""
    try:
        return _bound(socket.AF_INET6 if ":" in host else socket.AF_INET, host, port)
    except OSError as error:
        remedy = REMEDIES.get(error.errno or 0, "set VIVA_HOST to an address of this machine")
        where = f"VIVA_HOST={host}, VIVA_PORT={port}"
        raise ConfigError(f"{where}: cannot listen ({error.strerror}); {remedy}") from error


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Accepted sockets inherit both. What the kernel buffers is not seen by a connection's budget.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER)
    with suppress(AttributeError, OSError):  # Linux only.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STUCK_MS)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket, root_path: str = "") -> str:
    """The URL under which a bound socket is reached."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}{root_path}"


def configure(app: ASGIApp, root_path: str = "", proxies: str = "127.0.0.1,::1") -> Config:
    """uvicorn's settings for Viva; `proxies` are believed about scheme and client."""
    return Config(
        app,
        loop=LOOP,
        http="httptools",
        ws=ImpatientProtocol,
        ws_max_size=MAX_FRAME,
        # Browsers offer compression; it doubles a connection's memory and costs CPU on every token.
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        root_path=root_path,
        forwarded_allow_ips=proxies,
        limit_concurrency=2000,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE_S,
    )


async def _run(
    settings: "Settings", listener: socket.socket, announce: Callable[[Announced], None]
) -> None:
    from interviewer.assembly import open_viva
    from web.app import create_app

    # Opened here, not in the lifespan: a setting that is wrong is then an error, not a traceback.
    async with open_viva(settings) as viva:
        app = create_app(settings, viva)
        server = Announced(configure(app, settings.root_path, settings.proxies), announce)
        warming = asyncio.create_task(asyncio.to_thread(_warm, settings))
        await server.serve(sockets=[listener])
        await warming


def _warm(settings: "Settings") -> None:
    """Get what the first round and its score need, then spare the collector what stays for good."""
    from interviewer.scoring import coverage, wording

    for sdk in {SDKS[name] for name in (settings.llm, settings.judge) if name in SDKS}:
        import_module(sdk)
    for template in ("round.html", "scorecard.html"):
        ENVIRONMENT.get_template(template)  # compiled once
    wording.known_phrases((), wording.shipped())  # laid out once
    coverage.rarity()
    spare_collector()


def spare_collector() -> None:
    """Let the collector walk what is there by now no more, and the rest less often.

    With both, a relay's p99 fell from 12.8 to 1.9 ms at 200 streams. Nothing is collected before:
    that holds the loop up for 0.2 s, and frees one object in seventy.
    """
    gc.freeze()
    gc.set_threshold(20_000, 50, 1000)
    gc.enable()


def share_heap() -> None:
    """Let the threads that start from now on allocate where the main thread does.

    glibc gives each a heap of its own, while megabytes that the imports left free lie idle in the
    first; the interpreter's lock keeps threads from contending for it.
    """
    with suppress(AttributeError, OSError):  # glibc only
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _run_loop(
    settings: "Settings", listener: socket.socket, announce: Callable[[Announced], None]
) -> None:
    # An answer is scored in a thread; the loop that streams gets the interpreter back this soon.
    sys.setswitchinterval(SWITCH_S)
    with asyncio.Runner(
        loop_factory=Config("", loop=LOOP, log_config=None).get_loop_factory()
    ) as runner:
        runner.run(_run(settings, listener, announce))


def serve(settings: "Settings", announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, and return. `announce` gets the URL once Viva listens."""
    share_heap()
    listening = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _leave(listening))
    listener = bind(settings.host, settings.port)
    url = address_of(listener, settings.root_path)

    def begun(_: Announced) -> None:
        listening.set()
        announce(url)

    _run_loop(settings, listener, begun)


def _leave(listening: threading.Event) -> None:
    """End at once while nobody is served yet: what is open is safe from worse.

    Later uvicorn is told, and raises the signal again after a clean end, which is exit code 0.
    """
    if not listening.is_set():
        os._exit(0)


@contextmanager
def embedded(settings: "Settings") -> Iterator[str]:
    """A server on a free loopback port in a thread, for as long as the block lasts; its URL."""
    listener = bind("127.0.0.1", 0)
    started: Future[Announced] = Future()

    def stop(begun: Future[Announced]) -> None:
        if begun.exception() is None:
            begun.result().should_exit = True

    def run() -> None:
        try:
            _run_loop(settings, listener, started.set_result)
        except InterviewerError as error:
            started.set_exception(error)
        finally:
            if not started.done():
                started.set_exception(ConfigError("the embedded server did not start"))

    thread = threading.Thread(target=run, name="viva-server")
    thread.start()
    try:
        started.result()
        yield address_of(listener, settings.root_path)
    finally:
        started.add_done_callback(stop)
        thread.join()
        listener.close()
