"""KV cache in bytes: per token, per sequence, per GPU, and in the blocks of vLLM 0.31."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from tools.architecture import Architecture, CachedLayers
from tools.precision import BYTES, Dtype
from tools.result import ToolError

FP8_LATENT_SPARSE = 656
"""One sparse-attention MLA row at fp8 in vLLM: 512 B latent, 16 scales, 128 bf16 rope part."""
EVENLY = "the cache as given is divided evenly over the GPUs; a model says where heads repeat"
TEMPORAL_BYTES, CONV_BYTES = 4, 2
"""Recurrent state is kept in fp32, its convolution window in bf16, as vLLM does by default."""


def row_bytes(group: CachedLayers, dtype: Dtype, heads: int | None = None) -> float:
    """Bytes of one token in one layer, for `heads` KV heads (all by default)."""
    if group.indexer and dtype == "fp8":
        return FP8_LATENT_SPARSE + group.indexer
    return (group.heads if heads is None else heads) * group.width * BYTES[dtype] + group.indexer


def growing_bytes(architecture: Architecture, dtype: Dtype) -> float:
    """Bytes that each further token adds, over all layers that keep every token."""
    return sum(g.layers * row_bytes(g, dtype) for g in architecture.cached if g.window is None)


def full_bytes(architecture: Architecture, dtype: Dtype) -> float:
    """Bytes of a token if every caching layer kept every token: no windows."""
    return sum(g.layers * row_bytes(g, dtype) for g in architecture.cached)


def multi_head_bytes(architecture: Architecture, dtype: Dtype) -> float:
    """Bytes of a token if each query head kept its own K and V: no groups, latents or windows."""
    layers = sum(g.layers for g in architecture.cached)
    pair = architecture.qk_width + architecture.v_width
    return layers * architecture.heads * pair * BYTES[dtype]


def window_bytes(architecture: Architecture, dtype: Dtype, tokens: int | None = None) -> float:
    """Bytes of the windowed layers per sequence: full windows, or what `tokens` fill of them."""
    return sum(
        g.layers * row_bytes(g, dtype) * (g.window if tokens is None else min(g.window, tokens))
        for g in architecture.cached
        if g.window is not None
    )


def state_bytes(architecture: Architecture) -> float:
    """Bytes of the recurrent layers' state per sequence, whatever its length."""
    state = architecture.recurrent
    return (
        state.layers * (state.temporal * TEMPORAL_BYTES + state.conv * CONV_BYTES) if state else 0
    )


def sequence_bytes(architecture: Architecture, dtype: Dtype, tokens: int) -> float:
    """Ideal bytes of one sequence of `tokens`: no block rounding."""
    return (
        tokens * growing_bytes(architecture, dtype)
        + window_bytes(architecture, dtype, tokens)
        + state_bytes(architecture)
    )


@dataclass(frozen=True)
class Share:
    """What one GPU of a tensor-parallel group holds, as vLLM shards it."""

    architecture: Architecture
    tp: int
    cp: int = 1
    argument: str = "tp"
    """The tool's argument that `tp` came from, for errors."""

    def __post_init__(self) -> None:
        """Refuse layouts that the engine refuses."""
        if self.tp > 1:
            self._check_heads()
        if self.cp > 1:
            self._check_context()

    def heads(self, group: CachedLayers) -> int:
        """KV heads per rank: max(1, heads // tp); an MLA latent is on every rank."""
        return 1 if group.latent else max(1, group.heads // self.tp)

    @property
    def copies(self) -> float:
        """How often a token's cache is kept over the group; 1 where it is sharded without waste."""
        groups = self.architecture.cached
        return max((self.tp * self.heads(g) / g.heads / self.cp for g in groups), default=1.0)

    def growing(self, dtype: Dtype) -> float:
        """Bytes per token on one GPU."""
        groups = (g for g in self.architecture.cached if g.window is None)
        return sum(g.layers * row_bytes(g, dtype, self.heads(g)) for g in groups) / self.cp

    def sequence(self, dtype: Dtype, tokens: int) -> float:
        """Ideal bytes of one sequence on one GPU."""
        windows = sum(
            g.layers * row_bytes(g, dtype, self.heads(g)) * min(g.window, tokens)
            for g in self.architecture.cached
            if g.window is not None
        )
        return (
            tokens * self.growing(dtype)
            + windows / self.cp
            + state_bytes(self.architecture) / self.tp
        )

    def _check_heads(self) -> None:
        heads = self.architecture.heads
        if heads % self.tp:
            raise ToolError(
                self.argument, self.tp, f"{heads} query heads do not divide over {self.tp} GPUs"
            )
        for group in self.architecture.cached:
            if not group.latent and max(group.heads, self.tp) % min(group.heads, self.tp):
                raise ToolError(
                    self.argument,
                    self.tp,
                    f"{group.heads} KV heads neither divide over {self.tp} GPUs nor repeat evenly",
                )
        state = self.architecture.recurrent
        if state and state.heads % self.tp:
            raise ToolError(
                self.argument,
                self.tp,
                f"{state.heads} state heads do not divide over {self.tp} GPUs",
            )

    def _check_context(self) -> None:
        spare = min(
            (self.tp if g.latent else self.tp // g.heads for g in self.architecture.cached),
            default=1,
        )
        if self.tp % self.cp or self.cp > max(1, spare):
            raise ToolError(
                "cp",
                self.cp,
                f"divides copies of the cache, of which tp={self.tp} makes {max(1, spare)}",
            )


# --- blocks, as vLLM 0.31 allocates them ---


@dataclass(frozen=True)
class BlockGroup:
    """Layers that share one block table; every group's block has the same bytes."""

    layers: CachedLayers
    count: int


def block_groups(architecture: Architecture) -> tuple[BlockGroup, ...]:
    """Layers of each type in groups of equal size, which `group_size` decides."""
    counts = [g.layers for g in architecture.cached]
    if not counts:
        return ()
    size = group_size(counts)
    groups: list[BlockGroup] = []
    for layers in architecture.cached:
        number = ceil(layers.layers / size)
        base, extra = divmod(layers.layers, number)
        groups += [BlockGroup(layers, base + (index < extra)) for index in range(number)]
    return tuple(groups)


def group_size(counts: Sequence[int]) -> int:
    """Layers per group: the smallest count, or the largest where it is under 1.5 times that."""
    return max(counts) if max(counts) < 1.5 * min(counts) else min(counts)


def blocks_per_sequence(group: CachedLayers, tokens: int, block: int, in_flight: int) -> int:
    """Blocks that a group keeps for `tokens` with `in_flight` tokens in the running step."""
    if group.window is None:
        return ceil(tokens / block)
    if group.kind == "chunked":
        return ceil(min(group.window + in_flight, tokens) / block)
    return ceil(min(group.window - 1 + in_flight, tokens) / block) + 1


def allocated_bytes(
    share: Share, dtype: Dtype, tokens: int, block: int, in_flight: int = 1
) -> float:
    """Bytes of one sequence on one GPU in blocks: rounded up per group, groups padded."""
    groups = block_groups(share.architecture)
    if not groups:
        return state_bytes(share.architecture) / share.tp
    block_bytes = (
        max(g.count * row_bytes(g.layers, dtype, share.heads(g.layers)) for g in groups) * block
    )
    held = -(-tokens // share.cp)
    number = sum(
        min(blocks_per_sequence(g.layers, held, block, in_flight), ceil(held / block) + 1)
        for g in groups
    )
    return number * block_bytes + state_bytes(share.architecture) / share.tp
