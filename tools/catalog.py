"""Every tool by name: an explicit list, so that what a model may call is seen in one place."""

from collections.abc import Mapping
from types import MappingProxyType

from tools.decode_roofline import decode_roofline
from tools.kv_cache import kv_cache
from tools.memory_budget import memory_budget
from tools.model_config import model_config
from tools.op_intensity import op_intensity
from tools.prefill_roofline import prefill_roofline
from tools.registry import Tool
from tools.stats import mcnemar, sample_size, stats

SECTIONS: Mapping[str, tuple[Tool, ...]] = MappingProxyType(
    {
        "model and memory": (model_config, kv_cache, memory_budget),
        "roofline": (decode_roofline, prefill_roofline, op_intensity),
        "statistics": (stats, mcnemar, sample_size),
    }
)
"""The catalogue as people read it."""

TOOLS: tuple[Tool, ...] = tuple(tool for tools in SECTIONS.values() for tool in tools)
CATALOG: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in TOOLS})
