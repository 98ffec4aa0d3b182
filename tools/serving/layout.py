"""What one GPU holds of a model under tensor, pipeline, expert and data parallelism; bytes."""

from dataclasses import dataclass
from math import ceil

from tools.cache_layout import Share
from tools.checkpoints import Model
from tools.precision import BYTES, Dtype
from tools.result import ToolError

PACKED = {"fp8": 1.0, "mxfp4": 4.25 / 8}
"""Bytes per parameter of routed experts in quantised checkpoints."""


@dataclass(frozen=True)
class Layout:
    """How GPUs share a model; ep is 1 or tp x dp, as in vLLM."""

    tp: int = 1
    pp: int = 1
    ep: int = 1
    dp: int = 1
    cp: int = 1
    """Of decode: divides copies of the cache within the tp group."""

    @property
    def gpus(self) -> int:
        """All of them; ep and cp use GPUs that tp and dp count."""
        return self.tp * self.pp * self.dp


@dataclass(frozen=True)
class Sharded:
    """A model under a layout."""

    model: Model
    layout: Layout
    weight_dtype: Dtype | None

    @property
    def share(self) -> Share:
        """The cache's share; refuses what the engine refuses."""
        return Share(self.model.architecture, self.layout.tp, self.layout.cp)

    @property
    def layers(self) -> int:
        """All layers."""
        return len(self.model.architecture.kinds)

    @property
    def stage_layers(self) -> int:
        """Layers of the fullest pipeline stage."""
        if self.layout.pp > self.layers:
            raise ToolError("pp", self.layout.pp, f"is more than the {self.layers} layers")
        return ceil(self.layers / self.layout.pp)

    @property
    def stage_share(self) -> float:
        """The fullest stage's share of the layers."""
        return self.stage_layers / self.layers

    def weights(self) -> float:
        """Bytes on the GPU that holds most: layers of its stage, and embedding or lm_head."""
        sizes, layout = self.model.parameters, self.layout
        total = self.model.weight_bytes(self.weight_dtype)[0]
        routed = sizes.routed * self._routed_bytes()
        wide = 2.0 if self.weight_dtype is None else BYTES[self.weight_dtype]
        ends = [sizes.embedding * wide, (sizes.head or sizes.embedding) * wide]
        held = max(ends) if layout.pp > 1 else ends[0] + sizes.head * wide
        body = total - routed - (sizes.embedding + sizes.head) * wide
        experts = routed / (layout.ep if layout.ep > 1 else layout.tp)
        return (body / layout.tp + experts) * self.stage_share + held / layout.tp

    def _routed_bytes(self) -> float:
        if self.weight_dtype is not None:
            return BYTES[self.weight_dtype]
        stored = self.model.stored_dtype
        return PACKED[stored] if stored in PACKED else BYTES.get(stored, 2.0)

    def kv_per_token(self, dtype: Dtype) -> float:
        """Bytes that a token of one sequence adds on one GPU of its replica."""
        return self.share.growing(dtype) * self.stage_share

    def kv_sequence(self, dtype: Dtype, tokens: int) -> float:
        """Bytes of one sequence on one GPU of its replica."""
        return self.share.sequence(dtype, tokens) * self.stage_share

    def all_reduces(self) -> int:
        """Per token over all layers: one after each attention and each dense or sharded MLP."""
        if self.layout.tp == 1:
            return 0
        kinds = self.model.architecture.kinds
        blocks = len(kinds) if {"mlp", "moe"} & set(kinds) else 2 * len(kinds)
        experts = self.model.parameters.experts
        return blocks - (experts.layers if experts and self.layout.ep > 1 else 0)

    def all_to_alls(self) -> int:
        """Per token over all layers: dispatch and combine of each MoE layer under ep."""
        experts = self.model.parameters.experts
        return 2 * experts.layers if experts and self.layout.ep > 1 else 0


def check(layout: Layout, model: Model) -> None:
    """Refuse layouts that engines refuse; ToolError names the argument."""
    experts = model.parameters.experts
    if layout.ep not in (1, layout.tp * layout.dp):
        both = layout.tp * layout.dp
        raise ToolError("ep", layout.ep, f"is 1 or tp x dp = {both}: ep uses those GPUs")
    if layout.ep > 1 and experts is None:
        raise ToolError("ep", layout.ep, f"{model.name} has no experts: ep must be 1")
    if experts is not None and layout.ep > 1 and experts.count % layout.ep:
        raise ToolError(
            "ep", layout.ep, f"{experts.count} experts do not divide over {layout.ep} GPUs"
        )
