"""GPUs by name from data/gpus.json: memory, bandwidth, dense peaks; what is unverified is said."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field

from tools.arguments import shorten
from tools.result import ToolError
from tools.working import Working, plain


class Gpu(BaseModel):
    """Datasheet figures of one GPU: GB and TB decimal, peaks dense."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    aliases: tuple[str, ...] = ()
    memory_gb: float = Field(gt=0)
    memory_mib_nvidia_smi: int | None
    bandwidth_tb_s: float = Field(gt=0)
    bandwidth_marketing_tb_s: float | None = None
    bf16_tflops: float = Field(gt=0)
    fp8_tflops: float | None
    fp4_tflops: float | None
    int8_tops: float | None = None
    nvlink_total_gb_s: float | None
    nvlink_per_direction_gb_s: float | None
    sms: int
    l2_mb: float
    tdp_w: float
    source: str
    unverified_fields: tuple[str, ...]
    note: str = ""

    def peak_tflops(self, dtype: str) -> float | None:
        """Dense peak of the tensor cores for arithmetic in `dtype`; None where it has none."""
        return {
            "bf16": self.bf16_tflops,
            "fp16": self.bf16_tflops,
            "fp8": self.fp8_tflops,
            "fp4": self.fp4_tflops,
            "int8": self.int8_tops,
        }.get(dtype)


@dataclass(frozen=True)
class NamedGpu:
    """A GPU with the name that it was found by."""

    name: str
    spec: Gpu
    said: str = ""

    def tell(self, working: Working) -> None:
        """Say in a result what rests on this GPU's figures."""
        working.assume(self.said)
        quoted, used = self.spec.bandwidth_marketing_tb_s, self.spec.bandwidth_tb_s
        if quoted:
            working.assume(f"{self.name}: {used:g} TB/s by the datasheet; {quoted:g} is quoted too")
        working.warn(
            *(f"unverified for {self.name}: {what}" for what in self.spec.unverified_fields)
        )

    def arithmetic(self, weights: str, working: Working) -> float:
        """Dense TFLOPS at which weights of a format are multiplied; bf16 if it has no faster."""
        used = weights if weights in ("fp8", "fp4") and self.spec.peak_tflops(weights) else "bf16"
        peak = self.spec.peak_tflops(used) or self.spec.bf16_tflops
        working.assume(f"arithmetic at {self.name}'s dense {used} peak, {plain(peak)} TFLOPS")
        return peak


@cache
def gpus() -> Mapping[str, Gpu]:
    """The data file, validated."""
    text = files("tools.data").joinpath("gpus.json").read_text("utf-8")
    return {name: Gpu.model_validate(entry) for name, entry in json.loads(text)["gpus"].items()}


@lru_cache(maxsize=512)
def find_gpu(name: str) -> NamedGpu:
    """The GPU that `name` means; a bare family name is its commonest board, which is said."""
    asked = _key(name)
    for full, spec in gpus().items():
        if asked == _key(full):
            return NamedGpu(full, spec)
    for full, spec in gpus().items():
        if asked in [_key(alias) for alias in spec.aliases]:
            return NamedGpu(full, spec, f"{shorten(name)} read as {full}")
    keys = {_key(full): full for full in gpus()}
    close = [keys[key] for key in get_close_matches(asked[:60], keys, n=4, cutoff=0.3)] or list(
        gpus()
    )
    raise ToolError(
        "gpu",
        shorten(name),
        f"unknown; did you mean {', '.join(close)}? Or give its figures yourself",
    )


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower().removeprefix("nvidia").removeprefix("amd"))
