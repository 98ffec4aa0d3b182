"""Realistic parameters that several templates draw from, and how they are stated."""

from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case

MODELS = (
    "Llama-3.1-8B",
    "Llama-3.3-70B",
    "Mistral-7B-v0.3",
    "Qwen2.5-7B",
    "Qwen2.5-72B",
    "Qwen3-8B",
    "Qwen3-32B",
    "Qwen3-235B-A22B",
    "phi-4",
)
"""Models with plain attention in every layer: their cache follows from four numbers."""
GPUS = ("H100", "H200", "B200", "MI300X", "L40S")
CONTEXTS = (1024, 2048, 4096, 8192, 16384, 32768)
BYTES = {"bf16": 2, "fp8": 1}
SIZES_B = (7, 8, 14, 32, 70, 72)
"""Billions of parameters of dense models."""

EIGHT_BITS = "bits were taken for bytes"
K_OR_V = "one of K and V was left out"
QUERY_HEADS = "the query heads were counted instead of the KV heads"


def dtype(rng: Random) -> str:
    """The precision of a cache or of weights."""
    return rng.choice(tuple(BYTES))


def weights(rng: Random) -> dict[str, Any]:
    """A dense model's weights that fit on one large GPU."""
    return {"weights_gb": rng.choice((8, 14, 16, 28, 32, 35, 64, 70))}


def shape_line(case: Case) -> str:
    """The model's numbers."""
    return f"{case['model']}: {case.shape.said}."


def cache_line(case: Case) -> str:
    """The precision of the cache."""
    size = BYTES[case["kv_dtype"]]
    return f"The cache is kept in {case['kv_dtype'].upper()}: {size} byte{'s'[: size - 1]} a value."


def bandwidth_line(case: Case) -> str:
    """The GPU's memory bandwidth."""
    return f"{case['gpu']}: {show(case.gpu.bandwidth_tb_s)} TB/s of memory bandwidth."


def cache_bytes(case: Case) -> float:
    """Bytes of cache that one token takes."""
    shape = case.shape
    return 2 * shape.layers * shape.kv_heads * shape.head_dim * BYTES[case["kv_dtype"]]
