"""Every tool by name: an explicit list, so that what a model may call is seen in one place.

A tool's module is imported when the tool is first asked for: all of them would slow every start.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from tools.registry import Tool

SECTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "model and memory": (
            "model_config:model_config",
            "kv_cache:kv_cache",
            "memory_budget:memory_budget",
        ),
        "roofline": (
            "decode_roofline:decode_roofline",
            "prefill_roofline:prefill_roofline",
            "op_intensity:op_intensity",
            "serving.step_gap:step_gap",
            "serving.step_gap:host_gap",
        ),
        "speculation": (
            "serving.spec_decode:spec_decode",
            "serving.spec_batch:spec_batch",
            "serving.spec_decode:spec_mix",
            "serving.spec_tree:spec_tree",
            "serving.spec_counters:spec_counters",
            "serving.spec_trace:spec_trace",
            "serving.spec_trace:prompt_lookup",
            "serving.sampling_ref:sampling_ref",
            "serving.speculative_sampling:speculative_sampling",
        ),
        "parallel": (
            "serving.parallel_layout:parallel_layout",
            "serving.tp_scaling:tp_scaling",
            "serving.pipeline:pipeline",
            "serving.context_parallel:context_parallel",
            "serving.pipeline:batch_overlap",
            "serving.collectives:collectives",
            "serving.slow_link:slow_link",
            "serving.slow_link:collective_hang",
        ),
        "experts": (
            "serving.moe:moe",
            "serving.moe_layout:moe_padding",
            "serving.moe_layout:moe_balance",
            "serving.expert_traffic:expert_traffic",
        ),
        "kernels": (
            "kernels.occupancy:occupancy",
            "kernels.occupancy:bytes_in_flight",
            "kernels.waves:waves",
            "kernels.waves:split_kv",
            "kernels.shared_memory:bank_conflicts",
            "kernels.shared_memory:coalescing",
            "kernels.gemm_tile:gemm_tile",
            "kernels.fusion_io:fusion_io",
            "kernels.attention_io:l2_pinning",
            "kernels.fusion_io:kernel_timing",
            "kernels.kernel_dispatch:kernel_dispatch",
        ),
        "attention": (
            "kernels.attention_ref:attention_ref",
            "kernels.online_softmax:online_softmax",
            "kernels.online_softmax:lse_merge",
            "kernels.attention_tiles:attention_tiles",
            "kernels.attention_tiles:attention_backward",
            "kernels.attention_io:attention_io",
        ),
        "number formats": (
            "kernels.numerics:numerics",
            "kernels.numerics:accumulate",
            "kernels.numerics:rope_precision",
            "kernels.block_scales:block_scales",
            "kernels.block_scales:scale_leakage",
            "kernels.block_scales:kv_quant_error",
            "kernels.activation_scales:scaled_gemm",
        ),
        "quantisation": (
            "kernels.quant_planner:quant_planner",
            "kernels.quant_planner:quant_flip",
            "kernels.quant_planner:dequant_budget",
            "kernels.quant_choices:quant_mix",
            "kernels.quant_choices:qat_cost",
            "kernels.quant_choices:quant_gain",
            "kernels.activation_scales:outlier_quant",
        ),
        "statistics": (
            "stats:stats",
            "stats:mcnemar",
            "stats:sample_size",
            "calculate:calculate",
        ),
        "queues": (
            "fleet.queueing:queueing",
            "fleet.queue_simulation:queue_simulation",
            "fleet.littles_law:littles_law",
            "fleet.spike:spike",
            "fleet.job_order:job_order",
            "fleet.chunk_admission:chunk_admission",
        ),
        "job market": (
            "market.fde_postings:fde_postings",
            "market.plank_median:plank_median",
        ),
        "quotas and fairness": (
            "fleet.rate_limiter:rate_limiter",
            "fleet.fair_shares:fair_shares",
            "fleet.request_cost:request_cost",
            "fleet.micro_batcher:micro_batcher",
            "fleet.kv_quota:kv_quota",
        ),
        "capacity": (
            "fleet.fleet_capacity:fleet_capacity",
            "fleet.region_failover:region_failover",
            "fleet.idle_capacity:idle_capacity",
            "fleet.capacity_units:capacity_units",
            "fleet.node_count:node_count",
        ),
        "prices and energy": (
            "fleet.token_price:token_price",
            "fleet.conversation_cost:conversation_cost",
            "fleet.energy_per_token:energy_per_token",
            "fleet.cost_ledger:cost_ledger",
            "fleet.offline_job:offline_job",
            "fleet.payback:payback",
        ),
        "structured output and streams": (
            "operations.grammar_mask:grammar_mask",
            "operations.grammar_compile:grammar_compile",
            "operations.grammar_automaton:grammar_automaton",
            "operations.detokenize_stream:detokenize_stream",
            "operations.stream_buffer:stream_buffer",
            "operations.stream_events:stream_events",
        ),
        "telemetry": (
            "operations.counter_rates:counter_rates",
            "operations.histogram_quantile:histogram_quantile",
            "operations.span_attribution:span_attribution",
            "operations.little_check:little_check",
            "operations.tail_steps:tail_steps",
            "operations.memory_growth:memory_growth",
            "operations.gap_dilution:gap_dilution",
            "operations.timing_samples:timing_samples",
            "operations.selective_dispatch:selective_dispatch",
            "operations.barrier_wait:barrier_wait",
            "operations.prefix_boundary:prefix_boundary",
            "operations.capture_policies:capture_policies",
        ),
        "images and voice": (
            "operations.media_tokens:media_tokens",
            "operations.phase_memory:phase_memory",
            "operations.latency_ledger:latency_ledger",
        ),
        "transfers and adapters": (
            "fleet.kv_transfer:kv_transfer",
            "fleet.kv_tiers:kv_tiers",
            "fleet.kv_handoff:kv_handoff",
            "fleet.weight_loading:weight_loading",
            "fleet.lora_memory:lora_memory",
            "fleet.lora_batch:lora_batch",
            "fleet.lora_fleet:lora_fleet",
        ),
        "engine": (
            "engine.block_manager_sim:block_manager_sim",
            "engine.engine_sim:engine_sim",
            "engine.batching_curve:batching_curve",
            "engine.static_vs_continuous:static_vs_continuous",
            "engine.radix_sim:radix_sim",
            "engine.router_sim:router_sim",
            "engine.async_engine_ref:async_engine_ref",
        ),
    }
)
"""The catalogue as people read it: each tool as `module:name`, below the package `tools`."""


class Catalog(Mapping[str, Tool]):
    """Tools by name, in the order of the sections."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._loaded: dict[str, Tool] = {}

    def __getitem__(self, name: str) -> Tool:
        if name not in self._loaded:
            found = getattr(import_module(f"tools.{self._places[name]}"), name)
            assert isinstance(found, Tool), f"tools.{self._places[name]}:{name} is no tool"
            self._loaded[name] = found
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _name(place: str) -> str:
    return place.rpartition(":")[2]


CATALOG = Catalog(
    {_name(place): place.partition(":")[0] for places in SECTIONS.values() for place in places}
)


def sections() -> Iterator[tuple[str, tuple[Tool, ...]]]:
    """The sections with their tools, all of them loaded."""
    for title, places in SECTIONS.items():
        yield title, tuple(CATALOG[_name(place)] for place in places)


@cache
def simulators() -> tuple[Tool, ...]:
    """The tools that leave a trace to step through; every other tool is a calculator."""
    return tuple(tool for tool in CATALOG.values() if tool.call(tool.example).trace)
