"""A server in a thread whose interviewer is a model of the test's making."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from interviewer.assembly import open_viva
from interviewer.clock import utc_now
from interviewer.errors import LLMError
from interviewer.llm.protocol import LLM, Capabilities, Hear, Reply, Request, unheard
from interviewer.settings import Settings
from interviewer.voice.recogniser import Recogniser
from web.app import create_app
from web.server import Announced, address_of, bind, configure


@dataclass
class SlowModel:
    """Says one text, word by word, at any request but the probing one of a single token."""

    text: str
    go_on: threading.Event | None = None
    """It falls silent after eight words until this is set: no look at it can come too late."""
    name: str = "slow-model"
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(tools=False))

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        if request.max_tokens == 1:
            return Reply("ok", self.name)
        for number, word in enumerate(self.text.split(" ")):
            while number == 8 and self.go_on is not None and not self.go_on.is_set():
                await asyncio.sleep(0.02)
            hear(word if number == 0 else f" {word}")
        return Reply(self.text, self.name)


@dataclass
class DeadModel:
    """Cannot be reached."""

    name: str = "dead-model"
    capabilities: Capabilities = field(default_factory=Capabilities)

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        raise LLMError("unreachable", "nobody listens there")


@contextmanager
def serving(
    database: str,
    llm: LLM | None = None,
    port: int = 0,
    recogniser: Recogniser | None = None,
    now: Callable[[], datetime] = utc_now,
) -> Iterator[str]:
    """The URL of a server with this model and recogniser, or none, while the block lasts."""
    listener = bind("127.0.0.1", port)
    started: Future[Announced] = Future()

    async def run() -> None:
        settings = Settings(database_url=database)
        async with open_viva(settings, llm=llm, recogniser=recogniser, now=now) as viva:
            config = configure(create_app(settings, viva))
            await Announced(config, started.set_result).serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(run()), name="viva-test-server")
    thread.start()
    server = started.result(timeout=60)
    try:
        yield address_of(listener)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
