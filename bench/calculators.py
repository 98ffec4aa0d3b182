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
EVERY_TOOL = "from tools.catalog import CATALOG; list(CATALOG.values())"


@dataclass(frozen=True)
class Reading:
    """The median of a tool's slowest call, in milliseconds, and how many calls were tried."""

    name: str
    simulator: bool
    p50_ms: float
    calls: int


def measure(times: int = 21) -> list[Reading]:
    """All tools, the slowest first."""
    asked, stepped = _calls(), {tool.name for tool in simulators()}
    found = [
        Reading(
            name,
            name in stepped,
            max(_p50_ms(tool, text, times) for text in asked[name]),
            len(asked[name]),
        )
        for name, tool in CATALOG.items()
    ]
    return sorted(found, key=lambda reading: -reading.p50_ms)


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


def _p50_ms(tool: Tool, text: str, times: int) -> float:
    """From arguments as JSON text to the result as JSON text, after one call that imports."""
    tool.call(json.loads(text)).model_dump_json()
    spans = []
    for _ in range(times):
        at = time.perf_counter()
        tool.call(json.loads(text)).model_dump_json()
        spans.append((time.perf_counter() - at) * 1e3)
    return median(spans)
