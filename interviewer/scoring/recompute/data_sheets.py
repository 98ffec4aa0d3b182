"""Figures of hardware that are stated wrong in a known way: bits for bytes, a sparse peak as dense.

What is right comes from the tools' own table of GPUs. Knows no card.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import StatedSum
from interviewer.scoring.recompute.surroundings import normalise

_NAME = re.compile(r"\b(h200|h100|b200|a100)\b")
_PEAK = re.compile(r"\b(fp8|bf16)\b")
_SPARSE = re.compile(r"spars|2:4|two to four|structured|marketing|double")
_PCIE_5 = re.compile(r"\bp ?c ?i ?e? ?(?:gen ?)?(?:five|5)?\b.{0,20}$|\bp c i e\b.{0,30}$")
_PCIE_5_GB_S = 64.0
_BEFORE, _AFTER = 90, 60
_TOLERANCE = 0.02


def stated_hardware(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every peak or bandwidth of a named device that is off by a factor that data sheets invite."""
    for said in quantities:
        if said.unit is None or said.dimension not in ("flop/time", "bytes/time"):
            continue
        before = normalise(text[max(0, said.start - _BEFORE) : said.start])
        after = normalise(text[said.end : said.end + _AFTER])
        found = _peak if said.dimension == "flop/time" else _bandwidth
        if (known := found(said, before, after)) is not None:
            what, right = known
            source = "the data sheet, as in the tools' table of GPUs"
            yield StatedSum(said, right / said.unit.factor, what, right=False, source=source)


def memory_of(name: str) -> float:
    """Bytes of memory of a device, by the name that people say."""
    return _peaks()[name]["memory"]


def _peak(said: Quantity, before: str, after: str) -> tuple[str, float] | None:
    """A peak with sparsity that is given as the dense one."""
    name, precision = _last(_NAME, before), _PEAK.findall(f"{before} {after}")
    if name is None or not precision or _SPARSE.search(f"{before} {after}"):
        return None
    dense = _peaks()[name].get(precision[-1])
    if dense is None or abs(said.base / (2 * dense) - 1) > _TOLERANCE:
        return None
    return f"the dense {precision[-1].upper()} peak of the {name.upper()}", dense


def _bandwidth(said: Quantity, before: str, after: str) -> tuple[str, float] | None:
    """A bandwidth in bits where the sheet has bytes."""
    if _PCIE_5.search(before) and abs(said.base / (_PCIE_5_GB_S * 1e9 / 8) - 1) <= _TOLERANCE:
        return "PCIe 5.0 with 16 lanes, one way,", _PCIE_5_GB_S * 1e9
    name = _last(_NAME, before)
    right = _peaks()[name]["bandwidth"] if name else None
    if right is None or abs(8 * said.base / right - 1) > _TOLERANCE:
        return None
    return f"the memory bandwidth of the {name.upper() if name else ''}", right


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return found[-1] if found else None


@cache
def _peaks() -> dict[str, dict[str, float]]:
    """Dense peaks (FLOP/s) and bandwidth (B/s) by the name that people say."""
    from tools.hardware import find_gpu

    peaks: dict[str, dict[str, float]] = {}
    for name in ("h200", "h100", "b200", "a100"):
        gpu = find_gpu(name.upper()).spec
        known = {"bf16": gpu.bf16_tflops, "fp8": gpu.fp8_tflops, "bandwidth": gpu.bandwidth_tb_s}
        peaks[name] = {key: value * 1e12 for key, value in known.items() if value is not None}
        peaks[name]["memory"] = gpu.memory_gb * 1e9
    return peaks
