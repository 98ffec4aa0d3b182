"""Viva in front of a real vLLM, beside the same requests sent to it directly: `make bench-vllm`.

Pairs alternate on one server, so that what else the machine does falls on both.
"""

import asyncio
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import click
import httpx2
from websockets.asyncio.client import ClientConnection, connect

from bench.relay import free_port, process
from interviewer.llm.build import build_llm
from interviewer.llm.openai_chat import Dialect, OpenAIChat
from interviewer.llm.openai_chat import connect as connect_openai
from interviewer.llm.protocol import Capabilities, Request
from interviewer.llm.scripted import ScriptedLLM
from interviewer.prompts import PromptLibrary
from interviewer.scoring.judge import Judge
from interviewer.scoring.material import Material
from interviewer.scoring.rows import answer_material
from questions.library import CARDS, load
from rubrics.library import load_rubrics
from tests.vllm.server import VllmServer, installed

CARD, JUDGED = "FDE-01", 8
TOLD = Path(__file__).parent / "told.jinja"
"""A template that shows the model its question: one of 135M parameters keeps no manner of its own,
and a turn that Viva asks for again is no measure of what lies between.
"""
AT_ONCE = (1, 4, 12)
"""Rounds that answer at the same moment."""
PAIRS = int(os.environ.get("VIVA_BENCH_PAIRS", "15"))
REPEATS = int(os.environ.get("VIVA_BENCH_REPEATS", "3"))
ANSWER = (
    "I would batch continuously, because a decode step is bound by reading the weights: 70 GB over "
    "4.8 TB/s is 14.6 ms for one user or for twenty. I would look at the queue first. Case {}."
)


@dataclass(frozen=True)
class Turn:
    """Seconds from the request: to the first word, to the question's end; and how long it was."""

    first_s: float
    whole_s: float
    characters: int


class Direct:
    """The plain client: the same body, without Viva."""

    def __init__(self, url: str, model: str) -> None:
        self._http = httpx2.AsyncClient(base_url=url, timeout=120)
        self._chat = OpenAIChat(
            connect_openai(url, "none"),
            model,
            capabilities=Capabilities(priority=True, cache_salt=True),
            dialect=Dialect(strict_tools=True, string_bounds=True),
            cache_salt="direct",
        )

    def body(self, request: Request) -> dict[str, Any]:
        return self._chat._body(request)

    async def ask(self, request: Request) -> Turn:
        begun, first, text = time.monotonic(), 0.0, ""
        async with self._http.stream(
            "POST", "/chat/completions", json=self.body(request)
        ) as response:
            async for line in response.aiter_lines():
                choices = json.loads(line[6:])["choices"] if line.startswith("data: {") else []
                delta = choices[0]["delta"].get("content") if choices else None
                if not delta:
                    continue
                first, text = first or time.monotonic() - begun, text + delta
                # Viva's turn ends with its question: so does this one.
                if "?" in text and request.response_schema is None:
                    break
        whole = time.monotonic() - begun
        return Turn(first or whole, whole, len(text))

    async def aclose(self) -> None:
        await self._http.aclose()
        await self._chat.aclose()


@asynccontextmanager
async def viva(vllm: VllmServer, folder: Path) -> AsyncIterator[str]:
    """A Viva of its own process in front of the server; its address without a scheme."""
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")}
    env |= {"VIVA_PORT": str(port), "VIVA_DATABASE_URL": f"sqlite:///{folder}/viva.db"}
    env |= {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": vllm.url, "VIVA_LLM_MODEL": vllm.model}
    env |= {"VIVA_JUDGE": "rule", "VIVA_LLM_TIMEOUT_S": "120"}
    env |= {"VIVA_CHECKS": f"{folder}/checks.json"}
    with process([str(Path(sys.executable).parent / "viva"), "serve"], port, env):
        yield f"127.0.0.1:{port}"


async def through(
    address: str, answer: str, together: asyncio.Barrier | None = None
) -> tuple[Turn, list[dict[str, Any]]]:
    """One answer to a drill of the trade-off, and the events of its round.

    With `together` it is given when all others have been asked too.
    """
    async with httpx2.AsyncClient(base_url=f"http://{address}", timeout=120) as client:
        round_id = (
            await client.post("/api/rounds", json={"card": CARD, "part": "tradeoff"})
        ).json()["id"]
        async with connect(f"ws://{address}/rounds/{round_id}/live") as socket:
            await _until_quiet(socket)
            if together:
                await together.wait()
            turn = await _timed(socket, answer)
        events = (await client.get(f"/api/rounds/{round_id}/events")).json()["events"]
    return turn, events


async def _until_quiet(socket: ClientConnection) -> None:
    """Wait for the candidate's move, and for the warming call behind it."""
    async for text in socket:
        frame = json.loads(text)
        if "listening" in (frame.get("state"), frame.get("status")):
            break
    await asyncio.sleep(1.0)


async def _timed(socket: ClientConnection, answer: str) -> Turn:
    begun, first, said, heard = time.monotonic(), 0.0, "", False
    await socket.send(json.dumps({"type": "say", "id": "a1", "text": answer}))
    async for text in socket:
        frame = json.loads(text)
        heard = heard or frame["type"] == "ack"
        if heard and frame["type"] == "delta":
            first = first or time.monotonic() - begun
        if frame["type"] == "event" and frame["event"].get("purpose") == "probe":
            said = frame["event"]["text"]
            break
    whole = time.monotonic() - begun
    return Turn(first or whole, whole, len(said))


async def requests(folder: Path, answer: str) -> Request:
    """What Viva asks of the model after this answer, taken from a model that only listens."""
    from interviewer.assembly import open_viva
    from interviewer.settings import Settings

    llm = ScriptedLLM("ok", "Which of the two would you give up first, and why?")
    settings = Settings(database_url=f"sqlite:///{folder}/listen.db", judge="rule")
    async with open_viva(settings, llm=llm) as opened:
        session = await opened.rounds.start(CARD, part="tradeoff")
        await session.settle()
        while session.warming:
            await asyncio.sleep(0.01)
        await session.hear("a1", answer)
        await session.settle()
    return llm.requests[-1]


async def pairs(
    vllm: VllmServer, address: str, folder: Path
) -> tuple[list[Turn], list[Turn], list[float]]:
    """Turns directly and through Viva, alternating; cached shares of those through Viva."""
    direct, ours, shares, plain = Direct(vllm.url, vllm.model), [], [], []
    await through(address, ANSWER.format("warm"))
    await direct.ask(await requests(folder, ANSWER.format("warm")))
    for number in range(PAIRS):
        turn, events = await through(address, ANSWER.format(f"v{number}"))
        plain.append(await direct.ask(await requests(folder, ANSWER.format(f"d{number}"))))
        ours.append(turn)
        print(f"pair {number + 1}: {plain[-1]} {turn}", file=sys.stderr, flush=True)
        dropped = [e for e in events if e["event"]["type"] == "StatementDropped"]
        assert not dropped, f"a turn was asked for again: {dropped}"
        usages = [e["event"]["usage"] for e in events if e["event"].get("usage")]
        shares += [u["cached_tokens"] / u["prompt_tokens"] for u in usages]
    await direct.aclose()
    return plain, ours, shares


async def loaded(
    vllm: VllmServer, address: str, folder: Path, rounds: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Median first word and answered turns a second with so many at once, directly and through."""
    direct = Direct(vllm.url, vllm.model)
    asked = [await requests(folder, ANSWER.format(f"d{rounds}-{n}")) for n in range(rounds)]
    plain = await asyncio.gather(*map(direct.ask, asked))
    together = asyncio.Barrier(rounds)
    answers = [ANSWER.format(f"v{rounds}-{n}") for n in range(rounds)]
    played = await asyncio.gather(*(through(address, text, together) for text in answers))
    await direct.aclose()
    sides = plain, [turn for turn, _ in played]
    found = [
        (median(t.first_s for t in turns), rounds / max(t.whole_s for t in turns))
        for turns in sides
    ]
    return found[0], found[1]


async def judged(vllm: VllmServer) -> tuple[float, float]:
    """The server's tokens a second in 8 judgements at once, asked by the plain client and by Viva's
    judge: medians. Not the seconds, for a model this small writes two or three times as much about
    one answer as about the next.
    """
    llm = build_llm("vllm", vllm.url, vllm.model, None, cache_salt="direct", timeout_s=300)
    direct, judge = Direct(vllm.url, vllm.model), Judge(llm, PromptLibrary())
    card, rubrics = load(CARDS).get(CARD), load_rubrics()
    rates: dict[str, list[float]] = {"plain": [], "viva": []}
    await judge.score(replace(answer_material(ANSWER, card, rubrics), part="claim"))
    for repeat in range(REPEATS):
        for name in ("plain", "viva") if repeat % 2 else ("viva", "plain"):
            # Each side has answers of its own: the second would find the first one's in the cache.
            answers = [ANSWER.format(f"{name}{repeat}{n}") for n in range(JUDGED)]
            materials = [
                replace(answer_material(text, card, rubrics), part="claim") for text in answers
            ]
            made, begun = vllm.metric("generation_tokens_total"), time.monotonic()
            if name == "viva":
                await asyncio.gather(*(judge.score(material) for material in materials))
            else:
                await asyncio.gather(*(direct.ask(_asked(judge, m)) for m in materials))
            took = time.monotonic() - begun
            rates[name].append((vllm.metric("generation_tokens_total") - made) / took)
    await llm.aclose()
    await direct.aclose()
    return median(rates["plain"]), median(rates["viva"])


def _asked(judge: Judge, material: Material) -> Request:
    from interviewer.scoring.judge import _case

    case = _case(material)
    return judge._request(case, judge._messages(case))


def _per_character(turns: list[Turn]) -> float:
    """Milliseconds, of the words after the first."""
    return median((t.whole_s - t.first_s) / t.characters for t in turns) * 1e3


Row = tuple[str, float, float, str]


async def measure(vllm: VllmServer, folder: Path) -> tuple[list[Row], list[float]]:
    """A row for each thing that is compared, and the cached shares of the turns."""
    async with viva(vllm, folder) as address:
        plain, ours, shares = await pairs(vllm, address, folder)
        load = [(n, await loaded(vllm, address, folder, n)) for n in AT_ONCE]
    first, first_viva = (median(t.first_s for t in turns) for turns in (plain, ours))
    whole, whole_viva = (median(t.whole_s for t in turns) for turns in (plain, ours))
    length, length_viva = (median(t.characters for t in turns) for turns in (plain, ours))
    rows: list[Row] = [
        ("first visible word, median", first * 1e3, first_viva * 1e3, "ms"),
        ("whole reply, median", whole * 1e3, whole_viva * 1e3, "ms"),
        ("characters of a reply", length, length_viva, ""),
        ("a character after the first word", _per_character(plain), _per_character(ours), "ms"),
    ]
    for rounds, ((first, rate), (first_viva, rate_viva)) in load:
        rows.append((f"{rounds} rounds at once: first word", first * 1e3, first_viva * 1e3, "ms"))
        rows.append((f"{rounds} rounds at once: turns", rate, rate_viva, "/s"))
    return [*rows, (f"{JUDGED} judgements at once: tokens", *await judged(vllm), "/s")], shares


def report(vllm: VllmServer, folder: Path) -> None:
    """Measure everything and print it as Markdown."""
    rows, shares = asyncio.run(measure(vllm, folder))
    print(f"Measured on {os.cpu_count()} cores, {platform.machine()}, {PAIRS} pairs.\n")
    print("| what | directly | through Viva | ratio |\n| --- | --- | --- | --- |")
    for what, a, b, unit in rows:
        print(f"| {what} | {a:.4g} {unit} | {b:.4g} {unit} | {b / a:.2f} |")
    low, mid = (min(shares), median(shares)) if shares else (0.0, 0.0)
    print(f"\nCached share of a turn's prompt: median {mid:.1%}, least {low:.1%}.")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure Viva in front of a real vLLM, beside the plain client.

    VIVA_BENCH_PAIRS and VIVA_BENCH_REPEATS set how often.
    """
    with tempfile.TemporaryDirectory() as made, VllmServer(installed(), Path(made), TOLD) as server:
        report(server, Path(made))


if __name__ == "__main__":
    main()
