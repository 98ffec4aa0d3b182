"""`bank_conflicts`, `coalescing`: how a warp's addresses fall on banks and on sectors."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import Cell, Lane, Recording, blank
from tools.working import Working, plain

BANKS, WORD, LANES, SECTOR = 32, 4, 32, 32


class BankConflictsArguments(Arguments):
    """Arguments of bank_conflicts."""

    element_bytes: int = Field(
        default=4, ge=1, le=8, description="Bytes of an element: 1, 2, 4 or 8"
    )
    width: int = Field(ge=1, le=8192, description="Elements of a row of the tile")
    pad: int = Field(default=0, ge=0, le=256, description="Elements added to each row")
    access: Literal["column", "row"] = Field(
        default="column", description="Lanes read down a column, or along a row"
    )
    vector_bytes: int | None = Field(
        default=None,
        ge=1,
        le=16,
        description="Bytes that a lane reads at once (default: one)",
    )
    swizzle: bool = Field(
        default=False, description="16-byte chunks of a 128-byte row are XORed with the row (mod 8)"
    )


@tool(
    group="gpu_kernel_calc",
    example={"element_bytes": 2, "width": 64, "pad": 1},
    drawing=Drawing(
        kind="bars",
        title="Conflict ways by padding",
        x="pad",
        x_label="elements of padding",
        y_label="ways",
        series=(Series("ways", "passes of the worst phase"),),
    ),
    marks={"held": "a word", "lost": "a word that waits", "free": "nothing"},
)
def bank_conflicts(given: BankConflictsArguments) -> Working:
    """Bank conflicts of a warp that reads a column or a row of a tile in shared memory.

    32 banks of 4 bytes. Lanes that need different words of one bank take turns; the same word is
    broadcast. 8-byte reads go by half-warps, 16-byte reads by quarters.
    """
    vector = given.vector_bytes or given.element_bytes
    _check(given, vector)
    work = Working(headline="ways", source="CUDA programming guide: 32 banks of 4 bytes")
    phases = _phases(given, vector, given.pad)
    found = max(_ways(phase, vector) for phase in phases)
    work.put("ways", found, "ways", "of conflict in the worst phase; 1 is free of it", "count")
    work.put("phases", len(phases), "phases", "of the warp's read without conflict", "count")
    passes = sum(_ways(phase, vector) for phase in phases)
    work.put("passes", passes, "passes", "of shared memory in all", "count")
    work.put("slowdown", passes / len(phases), "x", "against none")
    pitch = (given.width + given.pad) * given.element_bytes
    work.put("pitch_bytes", pitch, "B", "from row to row")
    work.formula = (
        f"lane i at {pitch} B x i, bank (address / 4) mod 32: {found} words on the fullest bank"
        if given.access == "column"
        else f"lane i at {vector} B x i, bank (address / 4) mod 32: {found} words on the fullest"
    )
    if pitch % 16:
        work.warn(f"rows of {pitch} B are not 16-byte aligned: no 16-byte loads, no TMA")
    work.assume("32 lanes, one read each, the tile starts at bank 0")
    _draw(work, phases[0], vector)
    pads = (given.pad,) if given.swizzle else range(9)
    work.table = [_row(given, vector, pad) for pad in pads]
    return work


def _check(given: BankConflictsArguments, vector: int) -> None:
    _power_of_two("element_bytes", given.element_bytes)
    _power_of_two("vector_bytes", vector)
    if vector < given.element_bytes:
        raise ToolError("vector_bytes", vector, f"is less than an element, {given.element_bytes} B")
    pitch = (given.width + given.pad) * given.element_bytes
    if vector > given.element_bytes and pitch % vector and given.access == "column":
        raise ToolError("pad", given.pad, f"rows of {pitch} B are not aligned to {vector} B reads")
    if given.swizzle and pitch % 128:
        raise ToolError("swizzle", True, f"needs rows of a multiple of 128 B, not {pitch} B")


def _power_of_two(field: str, size: int) -> None:
    if size & (size - 1):
        raise ToolError(field, size, "is a power of two: 1, 2, 4, 8 or 16 bytes")


def _phases(given: BankConflictsArguments, vector: int, pad: int) -> list[list[int]]:
    """Addresses of the lanes that are served together."""
    pitch = (given.width + pad) * given.element_bytes
    together = LANES // max(1, vector // WORD)
    if given.access == "row":
        addresses = [lane * vector for lane in range(LANES)]
    else:
        addresses = [lane * pitch for lane in range(LANES)]
    if given.swizzle:
        addresses = [_swizzled(address, pitch) for address in addresses]
    return [addresses[start : start + together] for start in range(0, LANES, together)]


def _swizzled(address: int, pitch: int) -> int:
    row = address // pitch
    return address ^ (row % 8) * 16


def _on_banks(addresses: Sequence[int], vector: int) -> list[int]:
    """How many different words of each bank are read."""
    words: list[set[int]] = [set() for _ in range(BANKS)]
    for address in addresses:
        for word in range(address // WORD, (address + vector - 1) // WORD + 1):
            words[word % BANKS].add(word)
    return [len(found) for found in words]


def _ways(addresses: Sequence[int], vector: int) -> int:
    return max(_on_banks(addresses, vector))


def _row(given: BankConflictsArguments, vector: int, pad: int) -> dict[str, float | bool]:
    pitch = (given.width + pad) * given.element_bytes
    ways = max(_ways(phase, vector) for phase in _phases(given, vector, pad))
    return {"pad": pad, "ways": ways, "pitch_bytes": pitch, "aligned_16": pitch % 16 == 0}


def _draw(work: Working, addresses: Sequence[int], vector: int) -> None:
    """One step: what falls on each bank."""
    words = _on_banks(addresses, vector)
    deepest = max(words)
    lanes = [
        Lane(label=f"pass {turn + 1}", cells=tuple(_cell(found, turn) for found in words))
        for turn in range(min(deepest, 32))
    ]
    recording = Recording()
    recording.add("Words on the 32 banks", "Each further pass is a conflict.", lanes, ways=deepest)
    work.show(recording)


def _cell(found: int, turn: int) -> Cell:
    """A bank in a pass: it gives a word as long as it holds more than there were passes."""
    return blank("free" if found <= turn else "lost" if turn else "held")


class CoalescingArguments(Arguments):
    """Arguments of coalescing."""

    element_bytes: int = Field(
        default=2, ge=1, le=16, description="Bytes that a lane loads at once: 1, 2, 4, 8 or 16"
    )
    stride: int = Field(
        ge=0, le=10_000_000, description="Bytes from the address of one lane to the next"
    )
    offset: int = Field(default=0, ge=0, le=4096, description="Bytes off a 128-byte line")
    useful_gb: float | None = Field(
        default=None, ge=1e-9, le=1e6, description="Data that the kernel needs, GB, and"
    )
    bandwidth_tb_s: float | None = Field(
        default=None, ge=1e-9, le=1000, description="memory bandwidth in TB/s, for a time"
    )


@tool(
    group="gpu_kernel_calc",
    example={"element_bytes": 2, "stride": 16384, "useful_gb": 0.134, "bandwidth_tb_s": 3.35},
    drawing=Drawing(
        kind="line",
        title="Sectors of a warp's load by the stride of its lanes",
        x="stride",
        x_label="bytes from lane to lane",
        y_label="32-byte sectors",
        series=(Series("sectors", "sectors"),),
        log_x=True,
    ),
)
def coalescing(given: CoalescingArguments) -> Working:
    """32-byte sectors that a warp's load touches, and the share of their bytes that it uses.

    Neighbouring lanes on neighbouring addresses share sectors. A stride of a row gives each lane
    its own sector: 32 transactions, of which an element is used.
    """
    _power_of_two("element_bytes", given.element_bytes)
    sectors, lines = _touched(given, given.stride)
    used = min(LANES * given.element_bytes, sectors * SECTOR) if given.stride else 1
    useful = LANES * given.element_bytes if given.stride >= given.element_bytes else None
    share = used / (sectors * SECTOR)
    work = Working(headline="sectors", source="CUDA guide: a warp's load in 32-byte sectors")
    work.put("sectors", sectors, "sectors", "touched by a warp's load", "count")
    work.put("lines", lines, "lines", "of 128 bytes touched", "count")
    best = max(1, LANES * given.element_bytes // SECTOR)
    work.put("best_sectors", best, "sectors", "if the lanes were neighbours", "count")
    if useful is not None:
        work.put("efficiency", share, "fraction", "of the moved bytes that is used")
        if given.useful_gb is not None and given.bandwidth_tb_s is not None:
            slow = given.useful_gb / share / given.bandwidth_tb_s
            work.put("time_ms", slow, "ms", "moving all sectors", "floor")
            work.put(
                "best_ms", given.useful_gb / given.bandwidth_tb_s, "ms", "if all used", "floor"
            )
    else:
        work.assume("lanes overlap: the same bytes serve several lanes")
    work.formula = (
        f"32 lanes x {given.element_bytes} B at a stride of {given.stride:,} B: {sectors} sectors "
        f"x 32 B for {LANES * given.element_bytes} B"
    )
    work.assume("no reuse from cache: a sector that another warp needs later is fetched again")
    if sectors > best + 1:
        work.warn(f"{plain(sectors / best)} times the sectors that neighbouring lanes would touch")
    work.table = [
        {"stride": s, "sectors": _touched(given, s)[0]}
        for s in sorted({given.element_bytes << p for p in range(12)} | {max(1, given.stride)})
    ]
    return work


def _touched(given: CoalescingArguments, stride: int) -> tuple[int, int]:
    starts = [given.offset + lane * stride for lane in range(LANES)]
    ends = [start + given.element_bytes - 1 for start in starts]
    sectors = {s for a, b in zip(starts, ends, strict=True) for s in (a // SECTOR, b // SECTOR)}
    return len(sectors), len({sector // 4 for sector in sectors})
