"""Requests of a run: written out one by one, or drawn from a seed."""

from math import log, sqrt
from random import Random

from tools.engine.requests import Request
from tools.engine.script import Operation, read_script
from tools.result import ToolError

MOST_TOKENS = 20_000_000
"""Prompt and output tokens of a run."""
OPTIONS = frozenset({"at", "priority", "prefix", "shared"})


def written(text: str) -> list[Request]:
    """`PROMPT OUTPUT [at=MS] [priority=N] [prefix=NAME shared=TOKENS]`, one request a line."""
    lines = read_script(text, {"": OPTIONS}, "requests")
    return [_request(str(index), line) for index, line in enumerate(lines)]


def drawn(
    count: int, rate: float, prompt: float, output: float, spread: float, seed: int
) -> list[Request]:
    """Poisson arrivals at `rate` a second (0: all at once), lengths of a mean and a spread."""
    chance, at, found = Random(seed), 0.0, []
    for index in range(count):
        at += chance.expovariate(rate) if rate else 0.0
        lengths = (_length(chance, prompt, spread), _length(chance, output, spread))
        found.append(Request(str(index), *lengths, at))
    return found


def bounded(requests: list[Request], field: str) -> list[Request]:
    """The same requests; ToolError where they are too many tokens to simulate."""
    total = sum(request.prompt + request.output for request in requests)
    if total > MOST_TOKENS:
        raise ToolError(
            field, f"{total:,} tokens", f"at most {MOST_TOKENS:,} tokens of prompts and outputs"
        )
    return requests


def _length(chance: Random, mean: float, spread: float) -> int:
    """Log-normal with this mean and coefficient of variation, at least 1, at most 16 means."""
    if not spread:
        return max(1, round(mean))
    sigma = sqrt(log(1 + spread * spread))
    drawn_ = chance.lognormvariate(log(mean) - sigma * sigma / 2, sigma)
    return max(1, round(min(drawn_, 16 * mean)))


def _request(name: str, line: Operation) -> Request:
    if len(line.words) != 2:
        raise line.wrong("write PROMPT OUTPUT, such as 800 100")
    prompt, output = (line.count(index, 1_000_000) for index in (0, 1))
    shared = line.number("shared", 0)
    prefix = line.options.get("prefix", "")
    if shared > prompt or bool(shared) != bool(prefix):
        raise line.wrong("prefix= and shared= go together; shared is at most the prompt")
    at = line.number("at", 0, 100_000_000) / 1000
    return Request(name, prompt, output, at, line.number("priority", 0), prefix[:40], shared)
