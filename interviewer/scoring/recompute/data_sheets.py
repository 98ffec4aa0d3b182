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
_CLOSE, _BESIDE = 45, 12
_TOLERANCE = 0.02
_SMS = re.compile(r"\s*(?:sms?|s ms|streaming multiprocessors?|multiprocessors?)\b")
_COMPARED = re.compile(
    r"\b(?:than|against|versus|vs|instead|not|from|older|like|compared|unlike|if|less|more)\b"
)


def stated_hardware(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every figure of a named device that is another's, or off in a way that sheets invite."""
    for said in quantities:
        find = _FINDERS.get(said.dimension or "")
        if find is None:
            continue
        before = normalise(text[max(0, said.start - _BEFORE) : said.start])
        after = normalise(text[said.end : said.end + _AFTER])
        if (known := find(said, before, after)) is not None:
            what, right = known
            source = "the data sheet, as in the tools' table of GPUs"
            factor = said.unit.factor if said.unit else 1.0
            yield StatedSum(said, right / factor, what, right=False, source=source)


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
    if name is None:
        return None
    right = _peaks()[name]["bandwidth"]
    in_bits = abs(8 * said.base / right - 1) <= _TOLERANCE
    if not in_bits and not _is_anothers(said, "bandwidth", before, after):
        return None
    return f"the memory bandwidth of the {name.upper()}", right


def _multiprocessors(said: Quantity, before: str, after: str) -> tuple[str, float] | None:
    """The SMs of another device than the one that is named."""
    if not _SMS.match(after) or not _is_anothers(said, "sms", before, after):
        return None
    name = _NAME.findall(before)[-1]
    return f"the number of SMs of the {name.upper()}", _peaks()[name]["sms"]


def _is_anothers(said: Quantity, kind: str, before: str, after: str) -> bool:
    """Whether a figure that follows the one device that is named is the figure of another one."""
    names = {*_NAME.findall(before), *_NAME.findall(after[:_CLOSE])}
    named = max((match.start() for match in _NAME.finditer(before)), default=0)
    if len(names) != 1 or len(before) - named > _CLOSE:
        return False
    if _COMPARED.search(before[max(0, named - _BESIDE) :]):
        return False
    figures = {name: known[kind] for name, known in _peaks().items()}
    if abs(said.base / figures.pop(names.pop()) - 1) <= 0.1:
        return False
    return any(abs(said.base / other - 1) <= _TOLERANCE for other in figures.values())


_FINDERS = {"flop/time": _peak, "bytes/time": _bandwidth, "": _multiprocessors}


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return found[-1] if found else None


@cache
def _peaks() -> dict[str, dict[str, float]]:
    """Dense peaks (FLOP/s), bandwidth (B/s), memory (B) and SMs by the name that people say."""
    from tools.hardware import find_gpu

    peaks: dict[str, dict[str, float]] = {}
    for name in ("h200", "h100", "b200", "a100"):
        gpu = find_gpu(name.upper()).spec
        known = {"bf16": gpu.bf16_tflops, "fp8": gpu.fp8_tflops, "bandwidth": gpu.bandwidth_tb_s}
        peaks[name] = {key: value * 1e12 for key, value in known.items() if value is not None}
        peaks[name] |= {"memory": gpu.memory_gb * 1e9, "sms": float(gpu.sms)}
    return peaks
