"""Numbers of kernels and of what surrounds them: loads, banks, fusion, timings, the host."""

from collections.abc import Iterator
from math import gcd
from random import Random
from statistics import mean
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import BYTES, EIGHT_BITS, dtype

EXPERT_MODELS = ("DeepSeek-V3", "Kimi-K2-Instruct", "Qwen3-235B-A22B", "Qwen3-30B-A3B")


def _flight(rng: Random) -> dict[str, Any]:
    return {
        "gpu": rng.choice(("H100", "H200", "B200")),
        "latency_ns": rng.choice((500, 550, 600, 650, 700, 800)),
        "threads_per_sm": 1024,
        "load_bytes": 16,
    }


def _sectors(rng: Random) -> dict[str, Any]:
    return {
        "element_bytes": rng.choice((2, 4, 8)),
        "stride": rng.choice((8, 16, 64, 128, 256, 4096)),
    }


def _sectors_slips(case: Case) -> Iterator[Named]:
    yield 100 * case["element_bytes"] / case["stride"], "a sector of 32 bytes is the least"
    yield 100.0, "that holds for neighbours side by side"
    yield 100 * case["element_bytes"] / 128, "whole lines of 128 bytes were counted"


def _banks(rng: Random) -> dict[str, Any]:
    return {
        "element_bytes": 4,
        "width": rng.choice((8, 16, 24, 32, 40, 48, 64, 96)),
        "pad": rng.choice((0, 1, 4)),
    }


def _banks_slips(case: Case) -> Iterator[Named]:
    yield 1.0, "lanes whose addresses differ by a multiple of 32 words share a bank"
    yield float(gcd(32, case["width"])), "the padding was left out"
    yield 32.0, "not every lane falls on one bank"


def _fusion(rng: Random) -> dict[str, Any]:
    count = rng.choice((3, 4, 5))
    passes = [
        {"name": f"pass {n}", "read": rng.choice((2, 4, 6)), "write": rng.choice((2, 4))}
        for n in range(count)
    ]
    return {"passes": passes, "fused_read": rng.choice((2, 4)), "fused_write": 2}


def _fusion_lines(case: Case) -> Iterator[str]:
    for one in case["passes"]:
        yield f"A kernel reads {one['read']} and writes {one['write']} bytes an element."
    yield f"Fused, {case['fused_read']} bytes are read and {case['fused_write']} written."


def _fusion_slips(case: Case) -> Iterator[Named]:
    fused = case["fused_read"] + case["fused_write"]
    yield float(len(case["passes"])), "kernels were counted, not bytes"
    yield sum(one["read"] for one in case["passes"]) / fused, "the writes were left out"
    reads = sum(one["read"] for one in case["passes"])
    yield reads / case["fused_read"], "only the reads were compared"


def _samples(rng: Random) -> dict[str, Any]:
    usual = [50 + rng.randrange(0, 30) / 10 for _ in range(8)]
    return {"samples_us": [*usual, rng.choice((120.0, 150.0, 200.0))]}


def _shapes(rng: Random) -> dict[str, Any]:
    small = {
        "name": "small",
        "calls": rng.choice((600, 800, 900)),
        "old_us": rng.choice((20, 30, 40)),
        "new_us": rng.choice((44, 50, 60)),
    }
    large = {
        "name": "large",
        "calls": rng.choice((100, 200)),
        "old_us": rng.choice((300, 400)),
        "new_us": rng.choice((100, 150, 200)),
    }
    return {"shapes": [small, large]}


def _shapes_lines(case: Case) -> Iterator[str]:
    for shape in case["shapes"]:
        yield (
            f"{shape['name']}: {shape['calls']} calls, {shape['old_us']} microseconds with the "
            f"old kernel, {shape['new_us']} with the new one."
        )
    yield "Each shape takes the faster of the two; choosing costs nothing."


def _shapes_slips(case: Case) -> Iterator[Named]:
    shapes = case["shapes"]
    old = sum(s["calls"] * s["old_us"] for s in shapes)
    yield old / sum(s["calls"] * s["new_us"] for s in shapes), "the new kernel was taken for all"
    ratios = [s["old_us"] / min(s["old_us"], s["new_us"]) for s in shapes]
    yield mean(ratios), "the mean of the ratios forgets how often each is called"
    yield max(ratios), "that is the best shape alone"


def _issue(rng: Random) -> dict[str, Any]:
    return {
        "gpu": rng.choice(("H100", "H200")),
        "bits": rng.choice((4, 8)),
        "clock_ghz": rng.choice((1.41, 1.5, 1.62, 1.755, 1.83, 1.98)),
    }


def _issue_slips(case: Case) -> Iterator[Named]:
    yield case.value * 8 / case["bits"], "a byte a weight was taken"
    yield case.value / case.gpu.sms, "one SM was counted"
    yield case.value / 8, EIGHT_BITS


def _scaled(rng: Random) -> dict[str, Any]:
    tile_m, tile_n = rng.choice((64, 128, 192, 256)), rng.choice((64, 96, 128, 192, 256))
    return {"gpu": "H100", "tile_m": tile_m, "tile_n": tile_n, "block_k": 128}


def _halves(rng: Random) -> dict[str, Any]:
    return {
        "tokens": rng.choice((128, 256, 512)),
        "compute_fixed_us": rng.choice((40, 60)),
        "compute_us_per_token": rng.choice((0.4, 0.5)),
        "comm_fixed_us": rng.choice((20, 30)),
        "comm_us_per_token": rng.choice((0.6, 0.7)),
    }


def _halves_slips(case: Case) -> Iterator[Named]:
    half = case["tokens"] / 2
    compute = case["compute_fixed_us"] + half * case["compute_us_per_token"]
    comm = case["comm_fixed_us"] + half * case["comm_us_per_token"]
    yield max(compute, comm), "both halves must be done, one after the other"
    yield 2 * (compute + comm), "the two run side by side; the longer one counts"
    yield case.measure("whole_us"), "that is the batch in one piece"


def _halves_lines(case: Case) -> Iterator[str]:
    yield (
        f"A layer computes for {case['compute_fixed_us']} us and {case['compute_us_per_token']:g} "
        f"us a token, and communicates for {case['comm_fixed_us']} us and "
        f"{case['comm_us_per_token']:g} us a token."
    )
    yield (
        f"{case['tokens']} tokens are cut into two halves; one computes while the other "
        "communicates."
    )


def _host(rng: Random) -> dict[str, Any]:
    return {
        "gpu_ms": rng.choice((8, 12, 16)),
        "host_ms": rng.choice((2, 3, 4)),
        "batch": rng.choice((16, 32, 64)),
    }


def _host_slips(case: Case) -> Iterator[Named]:
    gpu, host, batch = case["gpu_ms"], case["host_ms"], case["batch"]
    yield batch * 1000 / gpu, "the host's work was left out"
    yield 1000 / (gpu + host), "that is one sequence's speed"
    yield batch * 1000 / host, "the GPU's work was left out"


def _dispatch(rng: Random) -> dict[str, Any]:
    return {
        "model": rng.choice(EXPERT_MODELS),
        "nodes": 4,
        "dispatch_dtype": dtype(rng),
        "combine_dtype": dtype(rng),
    }


def _routed(case: Case) -> tuple[int, int]:
    found = case_measures(case["model"])
    return found["hidden_size"], found["experts_per_token"]


def case_measures(model: str) -> dict[str, int]:
    """The whole numbers of a model's config."""
    from tools.catalog import CATALOG

    found = CATALOG["model_config"].call({"model": model}).measures
    return {name: int(measure.value) for name, measure in found.items()}


def _dispatch_lines(case: Case) -> Iterator[str]:
    hidden, experts = _routed(case)
    yield f"A hidden state has {show(hidden)} values; each token goes to {experts} experts."
    there, back = BYTES[case["dispatch_dtype"]], BYTES[case["combine_dtype"]]
    yield f"A value takes {there} on the way there and {back} on the way back, in bytes."


def _dispatch_slips(case: Case) -> Iterator[Named]:
    there, back = BYTES[case["dispatch_dtype"]], BYTES[case["combine_dtype"]]
    yield case.value * there / (there + back), "what comes back was left out"
    yield case.value / _routed(case)[1], "one expert was counted"
    yield case.value * 8, EIGHT_BITS


def _pages(rng: Random) -> dict[str, Any]:
    graphs = {"name": "graphs", "graph_gb": rng.choice((0.8, 1.2, 2, 3)), "step_ms": 20}
    return {
        "pool_gb": rng.choice((20, 24, 30, 36, 40)),
        "page_bytes": 5_242_880,
        "need_pages": 2000,
        "most_step_ms": 22,
        "policies": [graphs],
    }


def _pages_slips(case: Case) -> Iterator[Named]:
    page, pool = case["page_bytes"], case["pool_gb"] * 1e9
    (one,) = case["policies"]
    yield pool // page - 2000, "the graphs' memory was left out"
    yield (pool - one["graph_gb"] * 1e9) // page, "the pages that are needed were not taken off"


def _wide(rng: Random) -> dict[str, Any]:
    kept = {
        "name": "down",
        "params_m": rng.choice((84, 117, 235, 352, 470, 705, 940)),
        "damage": 0.9,
    }
    rest = {"name": "rest", "params_m": 68_000, "damage": 0.6}
    narrow = rng.choice((4, 4.25, 4.5))
    return {"matrices": [kept, rest], "budget_mb": 3000, "narrow_bits": narrow}


def _wide_slips(case: Case) -> Iterator[Named]:
    params = case["matrices"][0]["params_m"]
    yield params * 16 / 8, "its narrow bits were not taken off"
    yield case.value * 8, EIGHT_BITS
    yield params * case["narrow_bits"] / 8, "that is what it takes narrow"


TEMPLATES = (
    Template(
        name="in-flight-bytes",
        tool="bytes_in_flight",
        measure="needed_KiB_per_sm",
        unit="KiB",
        ask="How much must each SM have in flight to use the whole bandwidth? Answer in KiB.",
        draw=_flight,
        given=lambda case: (
            f"{show(case.gpu.bandwidth_tb_s)} TB/s over {case.gpu.sms} SMs.",
            f"A load takes {case['latency_ns']} ns.",
        ),
        slips=lambda case: (
            (case.value * case.gpu.sms, "that is for the whole GPU"),
            (case.value * 8, EIGHT_BITS),
            (case.value * 1000, "microseconds were taken for nanoseconds"),
        ),
        tolerance=0.035,
    ),
    Template(
        name="used-sectors",
        tool="coalescing",
        measure="efficiency",
        unit="%",
        scale=100,
        ask="Which share of the bytes that are loaded is used? Answer in percent.",
        draw=_sectors,
        given=lambda case: (
            f"32 lanes load {case['element_bytes']} bytes each, "
            f"{show(case['stride'])} bytes from one lane to the next.",
            "Memory gives whole sectors of 32 bytes; the first lane's address begins one.",
        ),
        slips=_sectors_slips,
    ),
    Template(
        name="bank-ways",
        tool="bank_conflicts",
        measure="ways",
        unit="",
        ask="In how many turns does shared memory serve the column?",
        draw=_banks,
        given=lambda case: (
            "32 lanes read a column of 4-byte words, lane by lane from row to row.",
            f"A row has {case['width']} words and {case['pad']} words of padding; there are 32 "
            "banks of one word.",
        ),
        slips=_banks_slips,
        tolerance=0.01,
    ),
    Template(
        name="fused",
        tool="fusion_io",
        measure="ratio",
        unit="x",
        ask="How many times fewer bytes does the fused kernel move?",
        draw=_fusion,
        given=_fusion_lines,
        slips=_fusion_slips,
    ),
    Template(
        name="median",
        tool="timing_samples",
        measure="median_us",
        unit="us",
        ask="What is the median of the timings? Answer in us.",
        draw=_samples,
        given=lambda case: (f"Microseconds: {', '.join(map(show, case['samples_us']))}.",),
        slips=lambda case: (
            (mean(case["samples_us"]), "that is the mean; one slow sample pulls it"),
            (max(case["samples_us"]), "that is the slowest"),
        ),
        tolerance=0.002,
    ),
    Template(
        name="dispatch-gain",
        tool="selective_dispatch",
        measure="speedup",
        unit="x",
        ask="How many times as fast is the workload? Give two decimals.",
        draw=_shapes,
        given=_shapes_lines,
        slips=_shapes_slips,
        tolerance=0.01,
    ),
    Template(
        name="issue-slots",
        tool="dequant_budget",
        measure="instructions_per_weight",
        unit="",
        ask="How many instructions may each weight cost at the whole bandwidth?",
        draw=_issue,
        given=lambda case: (
            f"{case.gpu.sms} SMs issue for 128 lanes a clock, at {case['clock_ghz']:g} GHz.",
            f"{show(case.gpu.bandwidth_tb_s)} TB/s of memory bandwidth; a weight has "
            f"{case['bits']} bits.",
        ),
        slips=_issue_slips,
    ),
    Template(
        name="promotion",
        tool="scaled_gemm",
        measure="promotion_clocks",
        unit="",
        ask="How many clocks does the promotion of one block's partial tile take?",
        draw=_scaled,
        given=lambda case: (
            f"The partial tile has {case['tile_m']} by {case['tile_n']} values; each takes 2 "
            "instructions.",
            "An SM does 128 lanes a clock.",
        ),
        slips=lambda case: (
            (case.value / 2, "one instruction a value was counted"),
            (case.value * 4, "32 lanes a clock were taken; an SM has four of those"),
        ),
        tolerance=0.01,
    ),
    Template(
        name="two-halves",
        tool="batch_overlap",
        measure="halves_us",
        unit="us",
        ask="How long does a layer take with the two halves? Answer in us.",
        draw=_halves,
        given=_halves_lines,
        slips=_halves_slips,
    ),
    Template(
        name="host-bound",
        tool="host_gap",
        measure="tokens_per_second",
        unit="tokens/s",
        ask="How many tokens a second does the batch get?",
        draw=_host,
        given=lambda case: (
            f"A step takes the GPU {case['gpu_ms']} ms and then the host {case['host_ms']} ms, "
            "one after the other.",
            f"{case['batch']} sequences get a token each.",
        ),
        slips=_host_slips,
    ),
    Template(
        name="expert-bytes",
        tool="expert_traffic",
        measure="bytes_per_layer",
        unit="kB",
        scale=1e-3,
        ask="How much does a token send and receive in one layer? Answer in kB of 1,000 bytes.",
        draw=_dispatch,
        given=_dispatch_lines,
        slips=_dispatch_slips,
    ),
    Template(
        name="spare-pages",
        tool="capture_policies",
        measure="spare_pages",
        unit="pages",
        ask="How many pages of the cache are left over beside the graphs?",
        draw=_pages,
        given=lambda case: (
            f"A pool of {case['pool_gb']} GB; graphs take {case['policies'][0]['graph_gb']:g} GB.",
            f"A page takes {show(case['page_bytes'])} bytes; "
            f"{show(case['need_pages'])} are needed.",
        ),
        slips=_pages_slips,
        tolerance=0.015,
    ),
    Template(
        name="kept-wide",
        tool="quant_mix",
        measure="added_MB",
        unit="MB",
        ask="How much does it add to keep the matrix wide? Answer in MB.",
        draw=_wide,
        given=lambda case: (
            f"{case['matrices'][0]['params_m']} million weights, kept at 16 bits, "
            f"not at {case['narrow_bits']:g}.",
        ),
        slips=_wide_slips,
    ),
)
