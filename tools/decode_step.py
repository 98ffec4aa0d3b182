"""One decode step on one GPU: what it reads and computes, and the least time that each takes."""

from bisect import bisect_left
from dataclasses import dataclass

from tools.architecture import Architecture, CachedLayers
from tools.cache_layout import Share, row_bytes, state_bytes
from tools.parameters import Experts
from tools.precision import Dtype

MOST_BATCH = 4097
"""A crossover of a mixture of experts is searched below this batch."""


@dataclass(frozen=True)
class Step:
    """What one step moves and computes on one GPU; times in ms."""

    weights: float
    """Bytes of dense weights per step."""
    lookup: float
    """Bytes among them of an embedding table, of which a step only looks rows up."""
    expert: float
    """Bytes of one routed expert over its layers."""
    experts: Experts | None
    kv_sequence: float
    """Bytes read per sequence."""
    flops: float | None
    """Per sequence."""
    bandwidth: float
    peak: float | None

    def experts_read(self, batch: int) -> float:
        """Expected distinct experts per layer under independent uniform routing."""
        return self.experts.expected(batch) if self.experts else 0.0

    def weights_ms(self, batch: int) -> float:
        """Time to read the weights that a batch touches."""
        return (self.weights + self.expert * self.experts_read(batch)) / self.bandwidth * 1e3

    def kv_ms(self, batch: int) -> float:
        """Time to read the batch's cache."""
        return batch * self.kv_sequence / self.bandwidth * 1e3

    def memory_ms(self, batch: int) -> float:
        """Time of all reads."""
        return self.weights_ms(batch) + self.kv_ms(batch)

    def compute_ms(self, batch: int, efficiency: float = 1.0) -> float:
        """Time of the arithmetic; 0 where no peak is known."""
        return (
            batch * self.flops / (self.peak * efficiency) * 1e3 if self.flops and self.peak else 0.0
        )

    def floor_ms(self, batch: int) -> float:
        """Neither the reads nor the arithmetic can take less."""
        return max(self.memory_ms(batch), self.compute_ms(batch))

    def strict_ms(self, batch: int) -> float:
        """The floor without the embedding table."""
        reads = self.memory_ms(batch) - self.lookup / self.bandwidth * 1e3
        return max(reads, self.compute_ms(batch))

    def crossover(self, efficiency: float) -> float | None:
        """Batch from which the arithmetic takes longer than the reads; None where it never does."""
        if self.experts:
            # Reads grow ever more slowly with the batch, so that once overtaken they stay behind.
            batches = range(1, MOST_BATCH)
            slower = bisect_left(batches, True, key=lambda b: self._compute_bound(b, efficiency))
            return float(batches[slower]) if slower < len(batches) else None
        gain = self.compute_ms(1, efficiency) - self.kv_ms(1)
        return self.weights_ms(1) / gain if gain > 0 else None

    def _compute_bound(self, batch: int, efficiency: float) -> bool:
        return self.compute_ms(batch, efficiency) >= self.memory_ms(batch)


def read_bytes(shape: Architecture, share: Share, dtype: Dtype, context: int) -> float:
    """Bytes of cache that a step reads for one sequence on one GPU; state is read and written."""
    rows = sum(_read_rows(g, share, dtype, context) for g in shape.cached)
    return rows + (2 * state_bytes(shape) / share.tp if context else 0.0)


def _read_rows(group: CachedLayers, share: Share, dtype: Dtype, context: int) -> float:
    row = row_bytes(group, dtype, share.heads(group))
    if (
        group.topk and context > group.topk
    ):  # sparse attention scans the indexer's keys, then reads top-k rows
        return group.layers * (group.topk * (row - group.indexer) + context * group.indexer)
    return (
        group.layers * row * (min(context, group.window) if group.window is not None else context)
    )
