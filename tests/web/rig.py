"""A real server on a real database, with an interviewer whose words the test decides."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from interviewer.assembly import Viva
from interviewer.events import InterviewerSpoke
from interviewer.interviewers.scene import Floor, Scene
from interviewer.rounds import Rounds
from interviewer.scoring.material import Scorer
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.session import RoundSession
from interviewer.settings import Settings
from interviewer.store import EventStore
from questions.library import CARDS, Library, load
from rubrics.library import load_rubrics
from tests.patience import PATIENCE_S
from web.app import create_app
from web.connection import Connection
from web.live import Live
from web.server import Announced, address_of, bind, configure

CARD = "INF-001"
LIBRARY = load(CARDS)
RUBRICS = load_rubrics()


@dataclass
class Script:
    """Speaks as told, word by word; `hold` stops it before a word until the test lets go."""

    turns: Sequence[str] = ("Why does it take so long?", "And which number shows it?")
    name: str = "script"
    hold: asyncio.Event | None = None
    hold_before: int = 3
    limit_s: int = 180
    slow_to_stop: asyncio.Event | None = None
    cancelled: int = 0
    spoken: int = 0

    async def warm(self, scene: Scene) -> None:
        pass

    async def speak(self, scene: Scene, floor: Floor) -> None:
        asked = sum(turn.speaker == "interviewer" for turn in scene.state.turns)
        last = asked >= len(self.turns)
        text = "Thank you, that was all." if last else self.turns[asked]
        try:
            for number, word in enumerate(text.split(" ")):
                if number == self.hold_before and self.hold is not None:
                    await self.hold.wait()
                await asyncio.sleep(0)  # As a model's stream would: the other tasks get their turn.
                floor.say(word if number == 0 else f" {word}")
        except asyncio.CancelledError:
            self.cancelled += 1
            if self.slow_to_stop is not None:
                await self.slow_to_stop.wait()
            raise
        self.spoken += 1
        limit_s = None if last else self.limit_s
        purpose = "closing" if last else "probe" if asked else "question"
        await floor.keep(
            InterviewerSpoke(text=text, purpose=purpose, speaker=self.name, limit_s=limit_s)
        )


@dataclass
class Rig:
    """A running installation under test."""

    url: str
    app: FastAPI
    viva: Viva
    script: Script
    sessions: list[RoundSession] = field(default_factory=list)

    @property
    def connections(self) -> tuple[Connection, ...]:
        """The sockets that the server holds open."""
        return cast(Live, self.app.state.live).connections

    async def start(self) -> RoundSession:
        """A new round, kept open for the length of the test."""
        session = await self.viva.rounds.start(CARD)
        self.sessions.append(session)
        return session

    def live(self, round_id: str, query: str = "", **options: Any) -> connect:
        """The socket of a round."""
        url = self.url.replace("http", "ws", 1) + f"/rounds/{round_id}/live{query}"
        return connect(
            url,
            **{
                "compression": None,
                "proxy": None,
                "max_size": None,
                "open_timeout": PATIENCE_S,
                **options,
            },
        )


def viva_of(
    settings: Settings,
    store: EventStore,
    script: Script,
    library: Library,
    *more: Scorer,
) -> Viva:
    scorers = (RuleScorer(), *more)
    rounds = Rounds(store, library, RUBRICS, script, None, scorers)
    return Viva(settings, store, library, RUBRICS, rounds, None, (), scorers)


@asynccontextmanager
async def listening(app: FastAPI, **options: Any) -> AsyncIterator[str]:
    """Serve on a free port in this very event loop; the URL."""
    listener = bind("127.0.0.1", 0)
    started: asyncio.Future[Announced] = asyncio.get_running_loop().create_future()
    config = configure(app, **options)
    config.log_config = None
    task = asyncio.create_task(Announced(config, started.set_result).serve(sockets=[listener]))
    server = await started
    try:
        yield address_of(listener, config.root_path)
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def rig(store: EventStore, script: Script | None = None, **fields: Any) -> AsyncIterator[Rig]:
    script, settings = script or Script(), Settings(**fields)
    viva = viva_of(settings, store, script, LIBRARY)
    app = create_app(settings, viva)
    try:
        async with listening(app, root_path=settings.root_path) as url:
            yield Rig(url, app, viva, script)
    finally:
        await viva.rounds.close()


async def receive(socket: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        return cast(dict[str, Any], msgspec.json.decode(await socket.recv()))


async def until(socket: ClientConnection, **wanted: Any) -> list[dict[str, Any]]:
    """Frames up to and with the first that has these fields."""
    got = []
    while True:
        got.append(await receive(socket))
        if all(got[-1].get(name) == value for name, value in wanted.items()):
            return got


async def until_state(socket: ClientConnection, state: str) -> list[dict[str, Any]]:
    """Frames up to and with the first, the hello included, that says what the round is doing."""
    got = []
    while True:
        got.append(await receive(socket))
        if state in (got[-1].get("state"), got[-1].get("status")):
            return got


async def send(socket: ClientConnection, **frame: Any) -> None:
    await socket.send(json.dumps(frame))


async def say(socket: ClientConnection, text: str, key: str = "u1") -> dict[str, Any]:
    """Answer, and return the ack or the problem."""
    await send(socket, type="say", id=key, text=text)
    return (await until(socket, id=key))[-1]


async def closed(socket: ClientConnection) -> int | None:
    """Read to the end; the code that the server closed with."""
    with suppress(ConnectionClosed):
        async with asyncio.timeout(PATIENCE_S):
            async for _ in socket:
                pass
    return socket.close_code
