"""Number formats by the names that configs and engines use, and their bytes per element."""

from collections.abc import Mapping
from typing import Literal

Dtype = Literal["bf16", "fp16", "fp8", "int8", "int4", "fp4", "fp32"]

BYTES: Mapping[str, float] = {
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "int4": 0.5,
    "fp4": 0.5,
    "fp32": 4.0,
}

HF_DTYPES: Mapping[str, Dtype] = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
"""`torch_dtype` of a config.json; it says nothing of a quantised checkpoint."""

GB = 1e9
GIB = 2.0**30
MIB = 2.0**20


def scales_note(dtype: Dtype, of: str) -> str:
    """What a format of 8 bits or fewer leaves out; empty for the wider ones."""
    if BYTES[dtype] > 1:
        return ""
    return f"{of} at {dtype}: {BYTES[dtype]:g} B per element, without the quantisation's scales"
