"""`viva serve` as its own process, and what it refuses to do."""

import asyncio
import os
import platform
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import pytest
from click.testing import CliRunner
from websockets.asyncio.client import connect

from interviewer.errors import ConfigError
from interviewer.store import EventStore
from tests.patience import PATIENCE_S, wait_until
from tests.web.rig import CARD, Rig, closed, listening, receive, rig, until_state
from viva import main
from web.connection import BEAT_S
from web.remote import Server
from web.server import bind, configure
from web.wire import CloseCode

VIVA = Path(sys.executable).with_name("viva")


def environment(database: str, **more: str) -> dict[str, str]:
    """The environment without settings of the machine that runs the tests."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")}
    return {**plain, "VIVA_DATABASE_URL": database, "VIVA_PORT": "0", **more}


@contextmanager
def serving(
    folder: Path, database: str, **more: str
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A server in its own process, and its URL."""
    process = subprocess.Popen(
        [VIVA, "serve"],
        cwd=folder,
        env=environment(database, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Viva on http"), process.stderr.read() if process.stderr else ""
        yield process, line.split()[2]
    finally:
        process.kill()
        process.communicate()


def test_it_says_in_one_line_where_it_is(tmp_path: Path, database: str) -> None:
    with serving(tmp_path, database) as (_, url), urllib.request.urlopen(f"{url}/healthz") as page:
        assert page.status == 200
        assert "server" not in {name.lower() for name in page.headers}


async def test_fault_21_a_terminated_server_tells_its_sockets_and_ends_well(
    tmp_path: Path, database: str
) -> None:
    with serving(tmp_path, database) as (process, url):
        server = Server(url)
        rounds = [server.post("/api/rounds", {"card": CARD})["id"] for _ in range(50)]
        sockets = [await server.live(round_id) for round_id in rounds]
        for socket in sockets:
            await receive(socket)
        process.send_signal(signal.SIGTERM)
        codes = [await closed(socket) for socket in sockets]
        out, err = await asyncio.to_thread(process.communicate, timeout=PATIENCE_S)
    assert set(codes) == {CloseCode.RESTART}
    assert process.returncode == 0
    assert "Traceback" not in err, err
    assert out == ""


def test_an_interrupted_server_ends_well(tmp_path: Path, database: str) -> None:
    with serving(tmp_path, database) as (process, _):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("command", "number", "code"),
    [
        (["serve"], signal.SIGTERM, 0),
        (["serve"], signal.SIGINT, 0),
        (["practice", "INF-001"], signal.SIGINT, 1),
    ],
)
def test_what_is_told_to_stop_while_it_starts_stops(
    command: list[str], number: signal.Signals, code: int, tmp_path: Path, database: str
) -> None:
    with starting(tmp_path, database, command) as (process, go_on):
        process.send_signal(number)
        if command != ["serve"]:
            go_on()
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err, err


@contextmanager
def starting(
    folder: Path, database: str, command: list[str]
) -> Iterator[tuple["subprocess.Popen[str]", Callable[[], None]]]:
    """A server that has begun to start, and waits for what is known of its model until the call."""
    known = folder / "checks"
    os.mkfifo(known)
    model = {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": "http://127.0.0.1:9/v1", "VIVA_JUDGE": "rule"}
    process = subprocess.Popen(
        [sys.executable, "-c", HEEDING, VIVA, *command],
        cwd=folder,
        env=environment(database, **model, VIVA_LLM_MODEL="m", VIVA_CHECKS=str(known)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with read_by(known) as opened:
            yield process, lambda: go_on(opened)
    finally:
        process.kill()
        process.communicate()


HEEDING = """
# What a script starts in the background ignores SIGINT, and so does all that it starts.
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


def read_by(pipe: Path) -> TextIO:
    """A named pipe, once somebody reads it."""
    ends: list[int] = []

    def is_read() -> bool:
        with suppress(OSError):
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    wait_until(is_read)
    return os.fdopen(ends[0], "w")


def go_on(opened: TextIO) -> None:
    opened.write("[]")
    opened.close()


async def test_fault_33_a_bad_frame_leaves_no_traceback_in_the_log(
    tmp_path: Path, database: str
) -> None:
    with serving(tmp_path, database) as (process, url):
        server = Server(url)
        round_id = server.post("/api/rounds", {"card": CARD})["id"]
        for frame in (b"\xff\xfe", "{", "[" * 100_000):
            async with server.live(round_id) as socket:
                await socket.send(frame, text=True)
                await until_state(socket, "listening") if isinstance(frame, str) else None
        process.terminate()
        _, err = await asyncio.to_thread(process.communicate, timeout=PATIENCE_S)
    assert "Traceback" not in err, err


async def test_fault_10_a_last_large_message_and_its_close_arrive(running: Rig) -> None:
    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
            return
        await receive()  # type: ignore[operator]
        await send({"type": "websocket.accept"})  # type: ignore[operator]
        await send({"type": "websocket.send", "text": "x" * 1024 * 1024})  # type: ignore[operator]
        await send({"type": "websocket.close", "code": 1000})  # type: ignore[operator]

    async with listening(app) as url:  # type: ignore[arg-type]
        socket = await connect(
            url.replace("http", "ws"),
            max_size=None,
            max_queue=1,
            proxy=None,
            open_timeout=PATIENCE_S,
        )
        await asyncio.sleep(0.2)
        assert len(await socket.recv()) == 1024 * 1024
        assert await closed(socket) == 1000


async def lifespan(receive: object, send: object) -> None:
    await receive()  # type: ignore[operator]
    await send({"type": "lifespan.startup.complete"})  # type: ignore[operator]
    await receive()  # type: ignore[operator]
    await send({"type": "lifespan.shutdown.complete"})  # type: ignore[operator]


async def test_it_works_below_a_sub_path(store: EventStore) -> None:
    async with rig(store, root_path="/viva") as running:
        session = await running.start()
        base = running.url.removesuffix("/viva")
        async with connect(
            base.replace("http", "ws") + f"/rounds/{session.id}/live", open_timeout=PATIENCE_S
        ) as socket:
            assert (await receive(socket))["type"] == "hello"
        page = await asyncio.to_thread(read, base + "/")
    assert 'href="/viva/static/' in page


def read(url: str) -> str:
    with urllib.request.urlopen(url) as page:
        return str(page.read().decode())


async def test_fault_11_a_dead_peer_is_noticed_within_45_seconds(running: Rig) -> None:
    config = configure(running.app)
    assert config.ws_ping_interval is not None
    assert config.ws_ping_timeout is not None
    assert config.ws_ping_interval + config.ws_ping_timeout <= 45
    assert BEAT_S <= 45


def test_a_port_in_use_is_explained() -> None:
    listener = bind("127.0.0.1", 0)
    listener.listen()
    with pytest.raises(ConfigError, match="VIVA_PORT"):
        bind("127.0.0.1", listener.getsockname()[1])
    listener.close()


@pytest.mark.parametrize("host", ["192.0.2.1", "[::1]"])
def test_an_address_that_is_not_this_machines_is_explained(host: str) -> None:
    with pytest.raises(ConfigError) as caught:
        bind(host, 8000)
    assert str(caught.value).startswith(f"VIVA_HOST={host}, VIVA_PORT=8000: cannot listen (")
    assert str(caught.value).endswith("set VIVA_HOST to an address of this machine")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--host", "0.0.0.0"], "VIVA_PASSWORD"), (["--port", "70000"], "70000")],
)
def test_serve_refuses_with_exit_code_2(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(main, ["serve", *arguments])
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ('exec "$0" questions list >/dev/full', 1, "Error: No space left on device\n"),
        ('exec "$0" practice INF-001 <&-', 2, "Error: standard input is closed; type the answers"),
    ],
)
def test_what_a_command_cannot_read_or_write_is_said_without_a_traceback(
    line: str, code: int, says: str, tmp_path: Path, database: str
) -> None:
    ran = subprocess.run(
        ["sh", "-c", line, VIVA],
        cwd=tmp_path,
        env=environment(database),
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
    )
    assert (ran.returncode, says in ran.stderr) == (code, True), ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has a heap a thread")
def test_the_servers_threads_share_one_heap() -> None:
    counted = subprocess.run([sys.executable, "-c", HEAPS], capture_output=True, timeout=PATIENCE_S)
    assert counted.stdout.count(b"<heap ") == 1, counted.stderr


HEAPS = """
import ctypes, threading
from web.server import share_heap
share_heap()

libc, met = ctypes.CDLL(None), threading.Barrier(5)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
def work():
    libc.malloc(4096)
    met.wait()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
met.wait()
stream = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, stream)
libc.fflush(stream)
"""
