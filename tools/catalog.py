"""Every tool by name: an explicit list, so that what a model may call is seen in one place."""

from collections.abc import Mapping
from types import MappingProxyType

from tools.decode_roofline import decode_roofline
from tools.engine.async_engine_ref import async_engine_ref
from tools.engine.batching_curve import batching_curve
from tools.engine.block_manager_sim import block_manager_sim
from tools.engine.engine_sim import engine_sim
from tools.engine.radix_sim import radix_sim
from tools.engine.router_sim import router_sim
from tools.engine.static_vs_continuous import static_vs_continuous
from tools.fleet.capacity_units import capacity_units
from tools.fleet.chunk_admission import chunk_admission
from tools.fleet.conversation_cost import conversation_cost
from tools.fleet.cost_ledger import cost_ledger
from tools.fleet.energy_per_token import energy_per_token
from tools.fleet.fair_shares import fair_shares
from tools.fleet.fleet_capacity import fleet_capacity
from tools.fleet.idle_capacity import idle_capacity
from tools.fleet.job_order import job_order
from tools.fleet.kv_handoff import kv_handoff
from tools.fleet.kv_quota import kv_quota
from tools.fleet.kv_tiers import kv_tiers
from tools.fleet.kv_transfer import kv_transfer
from tools.fleet.littles_law import littles_law
from tools.fleet.lora_batch import lora_batch
from tools.fleet.lora_fleet import lora_fleet
from tools.fleet.lora_memory import lora_memory
from tools.fleet.micro_batcher import micro_batcher
from tools.fleet.node_count import node_count
from tools.fleet.offline_job import offline_job
from tools.fleet.payback import payback
from tools.fleet.queue_simulation import queue_simulation
from tools.fleet.queueing import queueing
from tools.fleet.rate_limiter import rate_limiter
from tools.fleet.region_failover import region_failover
from tools.fleet.request_cost import request_cost
from tools.fleet.spike import spike
from tools.fleet.token_price import token_price
from tools.fleet.weight_loading import weight_loading
from tools.kernels.activation_scales import outlier_quant, scaled_gemm
from tools.kernels.attention_io import attention_io, l2_pinning
from tools.kernels.attention_ref import attention_ref
from tools.kernels.attention_tiles import attention_backward, attention_tiles
from tools.kernels.block_scales import block_scales, kv_quant_error, scale_leakage
from tools.kernels.fusion_io import fusion_io, kernel_timing
from tools.kernels.gemm_tile import gemm_tile
from tools.kernels.kernel_dispatch import kernel_dispatch
from tools.kernels.numerics import accumulate, numerics, rope_precision
from tools.kernels.occupancy import bytes_in_flight, occupancy
from tools.kernels.online_softmax import lse_merge, online_softmax
from tools.kernels.quant_choices import qat_cost, quant_gain, quant_mix
from tools.kernels.quant_planner import dequant_budget, quant_flip, quant_planner
from tools.kernels.shared_memory import bank_conflicts, coalescing
from tools.kernels.waves import split_kv, waves
from tools.kv_cache import kv_cache
from tools.market.fde_postings import fde_postings
from tools.market.plank_median import plank_median
from tools.memory_budget import memory_budget
from tools.model_config import model_config
from tools.op_intensity import op_intensity
from tools.operations.barrier_wait import barrier_wait
from tools.operations.capture_policies import capture_policies
from tools.operations.counter_rates import counter_rates
from tools.operations.detokenize_stream import detokenize_stream
from tools.operations.gap_dilution import gap_dilution
from tools.operations.grammar_automaton import grammar_automaton
from tools.operations.grammar_compile import grammar_compile
from tools.operations.grammar_mask import grammar_mask
from tools.operations.histogram_quantile import histogram_quantile
from tools.operations.latency_ledger import latency_ledger
from tools.operations.little_check import little_check
from tools.operations.media_tokens import media_tokens
from tools.operations.memory_growth import memory_growth
from tools.operations.phase_memory import phase_memory
from tools.operations.prefix_boundary import prefix_boundary
from tools.operations.selective_dispatch import selective_dispatch
from tools.operations.span_attribution import span_attribution
from tools.operations.stream_buffer import stream_buffer
from tools.operations.stream_events import stream_events
from tools.operations.tail_steps import tail_steps
from tools.operations.timing_samples import timing_samples
from tools.prefill_roofline import prefill_roofline
from tools.registry import Tool
from tools.serving.collectives import collectives
from tools.serving.context_parallel import context_parallel
from tools.serving.expert_traffic import expert_traffic
from tools.serving.moe import moe
from tools.serving.moe_layout import moe_balance, moe_padding
from tools.serving.parallel_layout import parallel_layout
from tools.serving.pipeline import batch_overlap, pipeline
from tools.serving.sampling_ref import sampling_ref
from tools.serving.slow_link import collective_hang, slow_link
from tools.serving.spec_batch import spec_batch
from tools.serving.spec_counters import spec_counters
from tools.serving.spec_decode import spec_decode, spec_mix
from tools.serving.spec_trace import prompt_lookup, spec_trace
from tools.serving.spec_tree import spec_tree
from tools.serving.speculative_sampling import speculative_sampling
from tools.serving.step_gap import host_gap, step_gap
from tools.serving.tp_scaling import tp_scaling
from tools.stats import mcnemar, sample_size, stats

SECTIONS: Mapping[str, tuple[Tool, ...]] = MappingProxyType(
    {
        "model and memory": (model_config, kv_cache, memory_budget),
        "roofline": (decode_roofline, prefill_roofline, op_intensity, step_gap, host_gap),
        "speculation": (
            spec_decode,
            spec_batch,
            spec_mix,
            spec_tree,
            spec_counters,
            spec_trace,
            prompt_lookup,
            sampling_ref,
            speculative_sampling,
        ),
        "parallel": (
            parallel_layout,
            tp_scaling,
            pipeline,
            context_parallel,
            batch_overlap,
            collectives,
            slow_link,
            collective_hang,
        ),
        "experts": (moe, moe_padding, moe_balance, expert_traffic),
        "kernels": (
            occupancy,
            bytes_in_flight,
            waves,
            split_kv,
            bank_conflicts,
            coalescing,
            gemm_tile,
            fusion_io,
            l2_pinning,
            kernel_timing,
            kernel_dispatch,
        ),
        "attention": (
            attention_ref,
            online_softmax,
            lse_merge,
            attention_tiles,
            attention_backward,
            attention_io,
        ),
        "number formats": (
            numerics,
            accumulate,
            rope_precision,
            block_scales,
            scale_leakage,
            kv_quant_error,
            scaled_gemm,
        ),
        "quantisation": (
            quant_planner,
            quant_flip,
            dequant_budget,
            quant_mix,
            qat_cost,
            quant_gain,
            outlier_quant,
        ),
        "statistics": (stats, mcnemar, sample_size),
        "queues": (
            queueing,
            queue_simulation,
            littles_law,
            spike,
            job_order,
            chunk_admission,
        ),
        "job market": (fde_postings, plank_median),
        "quotas and fairness": (
            rate_limiter,
            fair_shares,
            request_cost,
            micro_batcher,
            kv_quota,
        ),
        "capacity": (
            fleet_capacity,
            region_failover,
            idle_capacity,
            capacity_units,
            node_count,
        ),
        "prices and energy": (
            token_price,
            conversation_cost,
            energy_per_token,
            cost_ledger,
            offline_job,
            payback,
        ),
        "structured output and streams": (
            grammar_mask,
            grammar_compile,
            grammar_automaton,
            detokenize_stream,
            stream_buffer,
            stream_events,
        ),
        "telemetry": (
            counter_rates,
            histogram_quantile,
            span_attribution,
            little_check,
            tail_steps,
            memory_growth,
            gap_dilution,
            timing_samples,
            selective_dispatch,
            barrier_wait,
            prefix_boundary,
            capture_policies,
        ),
        "images and voice": (
            media_tokens,
            phase_memory,
            latency_ledger,
        ),
        "transfers and adapters": (
            kv_transfer,
            kv_tiers,
            kv_handoff,
            weight_loading,
            lora_memory,
            lora_batch,
            lora_fleet,
        ),
        "engine": (
            block_manager_sim,
            engine_sim,
            batching_curve,
            static_vs_continuous,
            radix_sim,
            router_sim,
            async_engine_ref,
        ),
    }
)
"""The catalogue as people read it."""

TOOLS: tuple[Tool, ...] = tuple(tool for tools in SECTIONS.values() for tool in tools)
CATALOG: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in TOOLS})
