"""Every tool over its example and its golden calls, as a server answers them but for HTTP, and how
long importing the whole catalogue takes.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tools.catalog import CATALOG, simulators
from tools.registry import Tool

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
IMPORT = "from tools.catalog import CATALOG"
EVERY_TOOL = f"{IMPORT}; list(CATALOG.values())"
"""A tool's own module is imported when it is first asked for."""


@dataclass(frozen=True)
class Reading:
    """The medians of a tool's slowest call, in milliseconds, and how many calls were tried.

    The CPU time is what other work on the machine lengthens least; alone, both are the same.
    """

    cpu_ms: float
    p50_ms: float
    name: str
    simulator: bool
    calls: int


def measure(times: int = 21) -> list[Reading]:
    """All tools, the slowest by CPU time first."""
    asked, stepped = _calls(), {tool.name for tool in simulators()}
    found = []
    for name, tool in CATALOG.items():
        slowest = max(_medians(tool, text, times) for text in asked[name])
        found.append(Reading(*slowest, name, name in stepped, len(asked[name])))
    return sorted(found, key=lambda reading: -reading.cpu_ms)


def _calls() -> dict[str, set[str]]:
    """The different arguments of each tool, as JSON text."""
    texts = {name: {json.dumps(dict(tool.example))} for name, tool in CATALOG.items()}
    for name, arguments in _golden():
        texts[name].add(json.dumps(arguments))
    return texts


def _golden() -> Iterator[tuple[str, object]]:
    for path in sorted(GOLDEN.glob("tool_calls*.json")):
        for row in json.loads(path.read_text("utf-8"))["rows"]:
            yield row["tool"], row["arguments"]


def _medians(tool: Tool, text: str, times: int) -> tuple[float, float]:
    """From arguments as JSON text to the result as JSON text, after one call that imports: CPU time
    and time by the clock, in ms.
    """
    tool.call(json.loads(text)).model_dump_json()
    spent, spans = [], []
    for _ in range(times):
        at, cpu = time.perf_counter(), time.process_time()
        tool.call(json.loads(text)).model_dump_json()
        spent.append((time.process_time() - cpu) * 1e3)
        spans.append((time.perf_counter() - at) * 1e3)
    return median(spent), median(spans)
