"""A model's config.json, pasted by anyone: bounded, and only the fields that decide its size."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.arguments import shorten
from tools.result import ToolError

MAX_BYTES = 65_536
MAX_DEPTH = 8
MAX_NODES = 10_000

MAY_BE_ZERO = ("attn_layer_offset", "max_window_layers")

Count = Annotated[int, Field(ge=0, le=10_000)]
Width = Annotated[int, Field(ge=0, le=10_000_000)]


class Strict(BaseModel):
    """Unknown fields are ignored (a config.json has many), but a number must be a number."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


class LinearAttention(Strict):
    """`linear_attn_config` of Kimi Linear; the layer lists count from 1."""

    full_attn_layers: list[Count] = Field(max_length=1000)
    kda_layers: list[Count] = Field(max_length=1000)
    num_heads: Count
    head_dim: Width
    short_conv_kernel_size: Count


class Quantization(Strict):
    """`quantization_config`: decides the bytes of the weights, which torch_dtype does not."""

    quant_method: str = Field(max_length=40)
    bits: Annotated[int, Field(ge=1, le=32)] | None = None
    weight_block_size: list[Width] | None = Field(default=None, max_length=2)


class Config(Strict):
    """The fields of config.json that are used, by their Hugging Face names."""

    model_type: str = Field(min_length=1, max_length=60)
    num_hidden_layers: Annotated[int, Field(ge=1, le=1000)]
    hidden_size: Annotated[int, Field(ge=1, le=1_000_000)]
    num_attention_heads: Annotated[int, Field(ge=1, le=10_000)]
    num_key_value_heads: Annotated[int, Field(ge=1, le=10_000)] | None = None
    head_dim: Width | None = None
    attention_head_dim: Width | None = None
    intermediate_size: Width | None = None
    ffn_dim: Width | None = None
    vocab_size: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    tie_word_embeddings: bool | None = None
    attention_bias: bool | None = None
    max_position_embeddings: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    torch_dtype: str | None = Field(default=None, max_length=40)
    dtype: str | None = Field(default=None, max_length=40)
    quantization_config: Quantization | None = None
    use_qk_norm: bool | None = None

    layer_types: list[str] | None = Field(default=None, max_length=1000)
    sliding_window: Width | None = None
    use_sliding_window: bool | None = None
    max_window_layers: Count | None = None
    sliding_window_pattern: Annotated[int, Field(ge=1, le=1000)] | None = None
    attention_chunk_size: Width | None = None
    full_attention_interval: Annotated[int, Field(ge=1, le=1000)] | None = None
    num_kv_shared_layers: Count | None = None
    kv_source_layer_ids: list[int] | None = Field(default=None, max_length=1000)
    num_global_key_value_heads: Annotated[int, Field(ge=1, le=10_000)] | None = None
    global_head_dim: Width | None = None
    hybrid_override_pattern: str | None = Field(default=None, max_length=1000)
    attn_layer_period: Annotated[int, Field(ge=1, le=1000)] | None = None
    attn_layer_offset: Count | None = None

    kv_lora_rank: Width | None = None
    q_lora_rank: Width | None = None
    qk_nope_head_dim: Width | None = None
    qk_rope_head_dim: Width | None = None
    v_head_dim: Width | None = None
    index_head_dim: Width | None = None
    index_topk: Width | None = None

    num_experts: Count | None = None
    num_local_experts: Count | None = None
    n_routed_experts: Count | None = None
    num_experts_per_tok: Count | None = None
    num_experts_per_token: Count | None = None
    n_shared_experts: Count | None = None
    moe_intermediate_size: Width | None = None
    shared_expert_intermediate_size: Width | None = None
    moe_shared_expert_intermediate_size: Width | None = None
    intermediate_size_mlp: Width | None = None
    first_k_dense_replace: Count | None = None
    decoder_sparse_step: Annotated[int, Field(ge=1, le=1000)] | None = None
    interleave_moe_layer_step: Annotated[int, Field(ge=1, le=1000)] | None = None
    expert_layer_period: Annotated[int, Field(ge=1, le=1000)] | None = None
    expert_layer_offset: Count | None = None

    linear_attn_config: LinearAttention | None = None
    attn_output_gate: bool | None = None
    linear_conv_kernel_dim: Count | None = None
    linear_key_head_dim: Width | None = None
    linear_value_head_dim: Width | None = None
    linear_num_key_heads: Count | None = None
    linear_num_value_heads: Count | None = None
    mamba_num_heads: Count | None = None
    mamba_head_dim: Width | None = None
    ssm_state_size: Width | None = None
    n_groups: Count | None = None
    conv_kernel: Count | None = None
    mamba_d_state: Width | None = None
    mamba_d_conv: Count | None = None
    mamba_expand: Count | None = None
    mamba_dt_rank: Width | None = None

    def need(self, name: str) -> int:
        """A whole number that this architecture needs; ToolError where it is missing."""
        value = getattr(self, name)
        if value is None:
            raise ToolError(f"config.{name}", None, f"is needed for model_type {self.model_type}")
        if value == 0 and name not in MAY_BE_ZERO:
            raise ToolError(f"config.{name}", value, "must be at least 1")
        return int(value)


def parse(pasted: str | Mapping[str, Any]) -> Config:
    """Read a pasted config.json, as text or object; ToolError for anything out of place."""
    data = _load(pasted) if isinstance(pasted, str) else dict(pasted)
    _bound(data)
    nested = data.get("text_config") or data.get("llm_config")
    if isinstance(nested, dict):
        data = {
            **{k: v for k, v in data.items() if k not in ("model_type", "architectures")},
            **nested,
        }
    return validate(data)


def validate(data: Mapping[str, Any]) -> Config:
    """Check types and bounds of the fields that are used."""
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(["config", *(str(part) for part in first["loc"])])
        value = None if first["type"] == "missing" else shorten(first["input"])
        raise ToolError(where, value, first["msg"]) from None


def _load(text: str) -> dict[str, Any]:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ToolError(
            "config", shorten(text), f"is larger than {MAX_BYTES:,} bytes; paste only config.json"
        )
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ToolError("config", shorten(text), f"is not JSON: {error}"[:200]) from None
    if not isinstance(data, dict):
        raise ToolError(
            "config", shorten(text), "must be a JSON object, the content of config.json"
        )
    return data


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _bound(data: object) -> None:
    """Refuse what is nested deeper or holds more values than any config.json does."""
    level, nodes = [data], 0
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        nodes += len(level)
        if nodes > MAX_NODES:
            raise ToolError("config", "…", f"holds more than {MAX_NODES:,} values")
        if not level:
            return
    raise ToolError("config", "…", f"is nested deeper than {MAX_DEPTH} levels")


def _children(node: object) -> list[object]:
    if isinstance(node, Mapping):
        return list(node.values())
    return list(node) if isinstance(node, list | tuple) else []
