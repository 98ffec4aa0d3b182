"""The block manager beside a plain one with the same hits, the engine beside a bare loop."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Protocol

import click

from bench.plain_engine import BareLoop, PlainBlocks, PlainRequest
from tools.engine.block_run import Listed
from tools.engine.engine_run import StepTime, run, weighted_percentile
from tools.engine.paged_cache import PagedCache, Placed
from tools.engine.paper_blocks import PaperBlocks
from tools.engine.requests import Request
from tools.engine.scheduler import Rules, Scheduler
from tools.engine.slots import CountedBlocks

BLOCK, APPENDS = 16, 8
FEW, MANY = 32, 4000
"""Sequences held: few, so that most hits are on freed blocks, or up to 60 % of the pool."""
PREFIXES, SHARED = 64, 256


class Blocks(Protocol):
    def admit(self, name: int, prompt: list[int]) -> int: ...

    def append(self, name: int, token: int) -> None: ...

    def release(self, name: int) -> None: ...


class VllmBlocks:
    """The cache of mode=vllm under the same three calls."""

    def __init__(self, blocks: int) -> None:
        self.cache = PagedCache(blocks, BLOCK)
        self.held: dict[int, tuple[Placed, Listed]] = {}

    def admit(self, name: int, prompt: list[int]) -> int:
        content = Listed(prompt, BLOCK)
        placed = self.cache.start(content)
        hit = self.cache.lookup(placed)
        self.cache.allocate(placed, len(prompt) - hit.tokens, hit)
        self.held[name] = (placed, content)
        return hit.tokens

    def append(self, name: int, token: int) -> None:
        placed, content = self.held[name]
        content.tokens.append(token)
        self.cache.allocate(placed, 1)

    def release(self, name: int) -> None:
        self.cache.release(self.held.pop(name)[0])


@dataclass(frozen=True)
class BlockReading:
    """Operations a second of CPU at one pool size, and the tokens hit."""

    what: str
    blocks: int
    operations_s: float
    hits: int


@dataclass(frozen=True)
class EngineReading:
    """Decode tokens a second of CPU at one load, and the steps taken."""

    what: str
    requests_s: float
    tokens_s: float
    steps: int


@contextmanager
def quiet() -> Iterator[None]:
    """Without the collector of cycles, for every variant alike."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def mixed(under_test: Blocks, blocks: int, rounds: int, most: int = FEW) -> tuple[float, int]:
    """Operations a second, and hits: a release, an admission, eight appends a round.

    Prompts of 256 to 1,023 tokens, half with one of 64 prefixes of 256 tokens.
    """
    chance, held, room, spent = Random(1), dict[int, int](), blocks * 6 // 10, 0
    fresh = iter(range(10**6, 10**9))
    prefixes = [[next(fresh) for _ in range(SHARED)] for _ in range(PREFIXES)]
    hits, seconds, operations = 0, 0.0, 0
    filling = True
    number = 0
    while operations < rounds * (APPENDS + 2):
        length = chance.randint(256, 1023)
        prompt = list(chance.choice(prefixes)) if chance.random() < 0.5 else []
        prompt += [next(fresh) for _ in range(length - len(prompt))]
        cost = -(-(length + APPENDS) // BLOCK) + 1
        at = time.process_time()
        while held and (spent + cost > room or len(held) >= most):
            filling = False
            oldest = next(iter(held))
            under_test.release(oldest)
            spent -= held.pop(oldest)
            operations += 1
        hits += under_test.admit(number, prompt)
        for token in range(APPENDS):
            under_test.append(number, token)
        took = time.process_time() - at
        held[number], spent, number = cost, spent + cost, number + 1
        if filling:
            operations = 0
            continue
        seconds += took
        operations += 1 + APPENDS
    return operations / seconds, hits


def measure_blocks(most: int = FEW, rounds: int = 800) -> list[BlockReading]:
    """Ours at four sizes, the plain class at three: at a million it takes minutes."""
    found = []
    for blocks in (1_000, 10_000, 100_000, 1_000_000):
        variants: list[tuple[str, Blocks]] = [
            ("paper model", PaperBlocks(blocks)),
            ("vLLM V1", VllmBlocks(blocks)),
        ]
        if blocks <= 100_000:
            variants.insert(0, ("plain lists", PlainBlocks(blocks)))
        for what, variant in variants:
            with quiet():
                rate, hits = mixed(variant, blocks, rounds, most)
            found.append(BlockReading(what, blocks, rate, hits))
    return found


def same_hits(rows: list[BlockReading]) -> bool:
    """Whether the plain class and the paper model hit the same tokens at every size."""
    plain, ours = (
        [row.hits for row in rows if row.what == what and row.blocks <= 100_000]
        for what in ("plain lists", "paper model")
    )
    return plain == ours


def trace(rate: float, count: int = 10_000) -> list[tuple[int, int, float]]:
    """Prompt, output and arrival: log-normal lengths, about 5.5M prompt and 1.9M output tokens."""
    chance, at, found = Random(1), 0.0, []
    for _ in range(count):
        at += chance.expovariate(rate)
        prompt = max(1, min(4000, int(chance.lognormvariate(6.05, 0.8))))
        output = max(1, min(2000, int(chance.lognormvariate(4.93, 0.8))))
        found.append((prompt, output, at))
    return found


def measure_engine(
    rates: tuple[float, ...] = (8.0, 40.0), blocks: int = 20_000
) -> list[EngineReading]:
    """The bare loop, then ours with every metric, one by one and with decoders counted together."""
    found = []
    for rate in rates:
        rows = trace(rate)
        with quiet():
            plain = [PlainRequest(*row) for row in rows]
            at = time.process_time()
            tokens = BareLoop(blocks, 2048, 256).run(plain)
            found.append(_engine("bare loop, no metrics", rate, tokens, at, 0))
        for what, shortcut in (("vLLM's loop, metrics", False), ("engine_sim, metrics", True)):
            with quiet():
                requests = [Request(str(n), *row) for n, row in enumerate(rows)]
                rules = Rules(budget=2048, most_running=256, shortcut=shortcut)
                at = time.process_time()
                scheduler = Scheduler(rules, CountedBlocks(blocks, BLOCK))
                outcome = run(scheduler, requests, StepTime(10.0, 0.02, 1.0))
                for share in (0.5, 0.95, 0.99):
                    weighted_percentile(scheduler.emissions.gaps, share)
                decoded = scheduler.emissions.tokens
                found.append(_engine(what, rate, decoded, at, outcome.steps))
    return found


def _engine(what: str, rate: float, tokens: int, since: float, steps: int) -> EngineReading:
    return EngineReading(what, rate, tokens / (time.process_time() - since), steps)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure the simulators at more sizes than `python -m bench` does, with all ratios."""
    for most in (FEW, MANY):
        print(f"at most {most:,} sequences held")
        for row in (rows := measure_blocks(most)):
            times = row.operations_s / ratio_base(rows, row)
            rate = f"{row.operations_s:>10,.0f} ops/s {times:6.2f}x"
            print(f"  {row.what:12} {row.blocks:>9,} blocks {rate} {row.hits:>9,} tokens hit")
        print(f"  same hits as the plain class: {same_hits(rows)}")
    for reading in measure_engine():
        rate = f"{reading.tokens_s / 1e6:6.2f}M decode tokens/s"
        print(
            f"  {reading.what:24} {reading.requests_s:3.0f} req/s {rate} {reading.steps:>8,} steps"
        )


def ratio_base(rows: list[BlockReading], row: BlockReading) -> float:
    """The plain class's rate at this size, or at 1,000,000 blocks one's own rate at 1,000."""
    what, blocks = ("plain lists", row.blocks) if row.blocks <= 100_000 else (row.what, 1_000)
    return next(r.operations_s for r in rows if (r.what, r.blocks) == (what, blocks))


if __name__ == "__main__":
    main()
