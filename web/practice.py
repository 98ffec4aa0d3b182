"""Plays a round in the terminal over the browser's socket; reconnects where the line breaks."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from random import random
from secrets import token_hex
from typing import Any, TextIO

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from web import wire
from web.remote import Server, ServerError, encode, frames
from web.terminal import HELP, Screen
from web.wire import CloseCode

TRIES = 6
FINAL_CODES = {
    CloseCode.UNKNOWN_ROUND: "the server does not know this round",
    CloseCode.TAKEN_OVER: "this round was opened elsewhere; nothing is lost",
    CloseCode.TOO_MANY: "the server closed the line: too many messages",
    CloseCode.POLICY: "the server refused the connection",
}
COMMANDS: dict[str, Callable[[], wire.ClientFrame]] = {
    "/think": lambda: wire.Think(token_hex(8)),
    "/move": lambda: wire.MoveOn(token_hex(8)),
    "/finish": lambda: wire.Finish(token_hex(8)),
    "/stop": wire.Stop,
}


class Quit(Exception):
    """The person leaves; the round stays as it is and can be taken up later."""


class Answers:
    """Lines of input become frames: an empty line ends an answer, a command stands alone."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def take(self, line: str) -> wire.ClientFrame | None:
        """The frame that this line completes, if any. Raises Quit."""
        word = line.strip()
        if word == "/quit":
            raise Quit
        if word in COMMANDS:
            return COMMANDS[word]()
        if word:
            self._lines.append(line.rstrip("\r\n"))
            return None
        return self.end()

    def end(self) -> wire.ClientFrame | None:
        """The answer as far as it has come, or None where there is none."""
        text, self._lines = "\n".join(self._lines), []
        return wire.Say(token_hex(8), text) if text else None


class Practice:
    """One round, from the question to the scorecard. Commands that are typed jump the queue."""

    def __init__(self, server: Server, round_id: str, screen: Screen, typed: bool = False) -> None:
        self._server = server
        self._round = round_id
        self._screen = screen
        self._typed = typed
        self._input: asyncio.Queue[str | None] = asyncio.Queue()
        self._waiting: deque[wire.ClientFrame] = deque()
        self._unacked: wire.ClientFrame | None = None
        self._seen, self._seen_at, self._head = 0, "", 0
        self._status = ""
        self._socket: ClientConnection | None = None

    async def run(self, source: TextIO) -> None:
        """Play until the round is over. Raises Quit, and ServerError where the server is lost."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(source, loop), daemon=True).start()
        tasks = [asyncio.create_task(work) for work in (self._type(), self._follow())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # The person.

    def _listen(self, source: TextIO, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            line = source.readline()
            with suppress(RuntimeError):  # The round has ended, and its loop with it.
                loop.call_soon_threadsafe(self._input.put_nowait, line or None)
            if not line and not self._typed:
                return

    async def _type(self) -> None:
        answers = Answers()
        while True:
            line = await self._input.get()
            if line is not None and line.strip() == "/help":
                self._screen.line(HELP)
                continue
            frame = answers.end() if line is None else answers.take(line)
            if frame is not None:
                await self._queue(frame)
            if line is None and (frame is None or not self._typed):
                # The input has ended: what was asked last stays unanswered.
                await self._queue(wire.Finish(token_hex(8)))
                await asyncio.Event().wait()

    async def _queue(self, frame: wire.ClientFrame) -> None:
        at_once = self._typed and not isinstance(frame, wire.Say) and self._socket is not None
        # Nothing acknowledges a stop, and without a line nobody speaks.
        if at_once or isinstance(frame, wire.Stop):
            await self._send(frame)
            return
        self._waiting.append(frame)
        await self._take_turn()

    async def _take_turn(self) -> None:
        if self._status == "listening" and self._waiting and self._unacked is None:
            self._unacked, self._status = self._waiting.popleft(), "sent"
            await self._send(self._unacked)

    async def _send(self, frame: wire.ClientFrame) -> None:
        if self._socket is not None:
            with suppress(ConnectionClosed):
                await self._socket.send(encode(frame))

    # The server.

    async def _follow(self) -> None:
        tries = 0
        while not self._is_over():
            before = self._seen
            try:
                async with self._server.live(self._round, self._seen, self._seen_at) as socket:
                    await self._converse(socket)
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 1006
                if code in FINAL_CODES:
                    raise ServerError(FINAL_CODES[CloseCode(code)]) from closed
            except InvalidHandshake as refused:
                raise ServerError(f"the server refused the connection: {refused}") from refused
            except OSError:
                pass
            tries = 0 if self._seen > before else tries + 1
            if tries > TRIES:
                raise ServerError("the server cannot be reached; what you said is stored")
            await asyncio.sleep(min(4.0, 0.25 * 2**tries) * (0.5 + random()))

    async def _converse(self, socket: ClientConnection) -> None:
        self._socket = socket
        try:
            if self._unacked is not None:
                await self._send(self._unacked)
            async for frame in frames(socket):
                self._note(frame)
                self._screen.show(frame)
                if self._is_over():
                    return
                await self._take_turn()
        finally:
            self._socket = None

    def _is_over(self) -> bool:
        return self._status == "over" and self._seen >= self._head

    def _note(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "hello":
                self._status, self._head = frame["status"], frame["head"]
            case "status":
                self._status = frame["state"]
            case "event":
                self._seen, self._seen_at = frame["seq"], frame["at"]
            case "ack" | "problem":
                self._settle(frame)

    def _settle(self, frame: dict[str, Any]) -> None:
        sent = self._unacked
        if sent is None or frame.get("id") != getattr(sent, "id", None):
            return
        self._unacked = None
        if frame.get("code") == "busy":
            self._waiting.appendleft(sent)
        elif frame["type"] == "problem" or isinstance(sent, wire.Think):
            # The floor is still the candidate's: no status frame will say so.
            self._status = "listening"
