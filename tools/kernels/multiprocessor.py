"""Limits of one streaming multiprocessor by compute capability, from NVIDIA's occupancy tables."""

from collections.abc import Mapping
from dataclasses import dataclass

from tools.hardware import NamedGpu
from tools.result import ToolError

WARP = 32
KIB = 1024


@dataclass(frozen=True)
class Multiprocessor:
    """What the blocks of one SM share; sizes in bytes."""

    threads: int
    blocks: int
    registers: int
    shared: int
    shared_block: int
    """Most for one block."""
    reserved: int = KIB
    """Shared memory that the system takes for each block, from compute capability 8.0 on."""
    register_unit: int = 256
    """Registers are given to a warp in units of this, and warps in fours."""


HOPPER = Multiprocessor(2048, 32, 65_536, 228 * KIB, 227 * KIB)
LIMITS: Mapping[str, Multiprocessor] = {
    "8.0": Multiprocessor(2048, 32, 65_536, 164 * KIB, 163 * KIB),
    "8.9": Multiprocessor(1536, 24, 65_536, 100 * KIB, 99 * KIB),
    "9.0": HOPPER,
    "10.0": HOPPER,
}
CAPABILITY: Mapping[str, str] = {
    "A100": "8.0",
    "L4": "8.9",
    "L40S": "8.9",
    "RTX": "8.9",
    "H100": "9.0",
    "H200": "9.0",
    "B200": "10.0",
    "GB200": "10.0",
}


def limits(gpu: NamedGpu) -> tuple[str, Multiprocessor]:
    """Compute capability and limits; ToolError for a GPU that these rules do not describe."""
    capability = CAPABILITY.get(gpu.name.partition("-")[0])
    if capability is None:
        raise ToolError("gpu", gpu.name, "is no CUDA GPU: these limits do not describe it")
    return capability, LIMITS[capability]


def blocks_by(sm: Multiprocessor, threads: int, registers: int, shared: int) -> dict[str, int]:
    """Blocks of an SM that each of the four budgets allows."""
    warps = -(-threads // WARP)
    by_warp = -(-registers * WARP // sm.register_unit) * sm.register_unit
    warps_held = sm.registers // by_warp // 4 * 4 if by_warp else sm.threads // WARP
    return {
        "threads": sm.threads // (warps * WARP),
        "blocks": sm.blocks,
        "registers": warps_held // warps,
        "shared_memory": sm.shared // (shared + sm.reserved),
    }
