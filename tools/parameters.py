"""Parameters in all and at work on a token, summed over the tensors; unknown families raise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tools.architecture import LATENT, Architecture, head_dim, kv_heads
from tools.config_json import Config
from tools.result import ToolError


@dataclass(frozen=True)
class Experts:
    """Routed experts over all MoE layers: `each` is one expert's parameters in one layer."""

    layers: int
    count: int
    per_token: int
    each: int

    def expected(self, tokens: int) -> float:
        """Distinct experts of a layer that `tokens` reach, routed uniformly and independently."""
        return self.count * (1 - (1 - self.per_token / self.count) ** tokens)


@dataclass(frozen=True)
class Parameters:
    """Parameters by what they do. `body` is all but embedding, lm_head and routed experts."""

    embedding: int
    head: int
    """The lm_head matrix; 0 where it is the embedding (tied)."""
    body: int
    experts: Experts | None
    expert_vectors: int = 0
    """Biases within the routed experts, which a quantised checkpoint keeps wide."""

    @property
    def routed(self) -> int:
        """All routed experts."""
        return self.experts.layers * self.experts.count * self.experts.each if self.experts else 0

    @property
    def total(self) -> int:
        """Everything, a tied embedding once."""
        return self.embedding + self.head + self.body + self.routed

    @property
    def active_body(self) -> int:
        """Per token, without embedding and lm_head."""
        routed = (
            self.experts.layers * self.experts.per_token * self.experts.each if self.experts else 0
        )
        return self.body + routed

    @property
    def active(self) -> int:
        """Per token, with lm_head, without the embedding lookup (which does no arithmetic)."""
        return self.active_body + (self.head or self.embedding)

    @property
    def active_with_embedding(self) -> int:
        """Per token, with both matrices; a tied one once."""
        return self.active_body + self.head + self.embedding


def count(config: Config, architecture: Architecture) -> Parameters:
    """Sum the tensors; ToolError for a family whose tensors are not known here."""
    if config.model_type in UNKNOWN:
        raise ToolError("config.model_type", config.model_type, UNKNOWN[config.model_type])
    tied = config.tie_word_embeddings
    if tied is None:
        tied = config.model_type in TIED
    layers = [_layer(config, index, kind) for index, kind in enumerate(architecture.kinds)]
    experts = _experts(config, sum(moe for _, moe in layers))
    embedding = config.need("vocab_size") * config.hidden_size
    # gpt-oss: each expert carries the biases of its three matrices
    vectors = (
        2 * config.need("intermediate_size") + config.hidden_size
        if config.model_type == "gpt_oss"
        else 0
    )
    return Parameters(
        embedding=embedding,
        head=0 if tied else embedding,
        body=sum(size for size, _ in layers) + config.hidden_size,
        experts=experts,
        expert_vectors=experts.layers * experts.count * vectors if experts else 0,
    )


UNKNOWN: Mapping[str, str] = {
    "deepseek_v32": "the indexer's tensors are not covered; the KV cache is",
    "kimi_linear": "the tensors of its linear attention are not covered; the KV cache is",
    "gemma4_text": "its per-layer tensors are not covered; the KV cache is",
    "opt": "its position embeddings and biases are not covered; the KV cache is",
}

QKV_BIAS = ("qwen2",)
"""Families that have biases on Q, K and V without saying so in the config."""
QK_NORM = ("qwen3", "qwen3_moe", "qwen3_next", "qwen3_5_text", "gemma3_text")
"""Families with a norm of head_dim on Q and on K."""
TIED = ("gemma2", "gemma3_text")
"""Families whose embedding is the lm_head where the config does not say."""
FOUR_NORMS = ("gemma2", "gemma3_text")


def expert_count(config: Config) -> int:
    """Routed experts per MoE layer; 0 for a dense model."""
    return config.n_routed_experts or config.num_local_experts or config.num_experts or 0


def _experts(config: Config, layers: int) -> Experts | None:
    number = expert_count(config)
    if not number or not layers:
        return None
    per_token = config.num_experts_per_tok or config.num_experts_per_token
    if not per_token or per_token > number:
        raise ToolError("config.num_experts_per_tok", per_token, f"must be 1 to {number}")
    width = config.moe_intermediate_size or config.need("intermediate_size")
    matrices = 2 if config.model_type == "nemotron_h" else 3
    each = matrices * config.hidden_size * width
    if config.model_type == "gpt_oss":
        each += 2 * width + config.hidden_size
    return Experts(layers, number, per_token, each)


def _layer(config: Config, index: int, kind: str) -> tuple[int, bool]:
    """(parameters outside the routed experts, whether the layer has routed experts)."""
    if config.model_type == "nemotron_h":
        return _nemotron_block(config, kind)
    mixer = _attention(config) if kind in ("full", "sliding", "chunked") else _linear(config)
    norms = (4 if config.model_type in FOUR_NORMS else 2) * config.hidden_size
    moe = _is_moe(config, index)
    return mixer + norms + (_shared(config) if moe else _mlp(config, index)), moe


def _is_moe(config: Config, index: int) -> bool:
    if not expert_count(config):
        return False
    if config.first_k_dense_replace is not None:
        return index >= config.first_k_dense_replace
    if config.expert_layer_period:
        return index % config.expert_layer_period == (config.expert_layer_offset or 0)
    step = config.decoder_sparse_step or config.interleave_moe_layer_step or 1
    return (index + 1) % step == 0


def _mlp(config: Config, index: int) -> int:
    width = config.need("intermediate_size")
    if config.model_type == "llama4_text":
        width = config.need("intermediate_size_mlp")
    return 3 * config.hidden_size * width


def _shared(config: Config) -> int:
    """Router, its biases, and the experts that every token passes."""
    hidden, number = config.hidden_size, expert_count(config)
    router = hidden * number
    if config.model_type in ("deepseek_v3", "kimi_k2", "glm4_moe", "minimax_m2", "gpt_oss"):
        router += number
    if config.model_type == "llama4_text":
        return router + 3 * hidden * config.need("intermediate_size")
    if config.shared_expert_intermediate_size:
        return router + 3 * hidden * config.shared_expert_intermediate_size + hidden
    shared = config.n_shared_experts or 0
    return router + 3 * hidden * shared * (config.moe_intermediate_size or 0)


def _attention(config: Config) -> int:
    if config.model_type in LATENT:
        return _latent_attention(config)
    hidden, width = config.hidden_size, head_dim(config)
    q, kv = config.num_attention_heads * width, kv_heads(config) * width
    gated = config.attn_output_gate or config.model_type == "qwen3_next"
    size = hidden * q * (2 if gated else 1) + 2 * hidden * kv + q * hidden
    if config.attention_bias or config.model_type in QKV_BIAS:
        size += q + 2 * kv
    if config.model_type == "gpt_oss":
        size += hidden + config.num_attention_heads  # output bias and attention sinks
    if config.model_type == "minimax_m2" and config.use_qk_norm:
        size += q + kv
    elif config.model_type in QK_NORM or (config.model_type == "glm4_moe" and config.use_qk_norm):
        size += 2 * width
    return size


def _latent_attention(config: Config) -> int:
    hidden, heads, latent = (
        config.hidden_size,
        config.num_attention_heads,
        config.need("kv_lora_rank"),
    )
    nope, rope, value = (
        config.need(n) for n in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    )
    query = heads * (nope + rope)
    rank = config.q_lora_rank
    q = hidden * rank + rank + rank * query if rank else hidden * query
    kv = hidden * (latent + rope) + latent + latent * heads * (nope + value)
    return q + kv + heads * value * hidden


def _linear(config: Config) -> int:
    """Token mixers without a KV cache."""
    if config.model_type == "jamba":
        return _mamba1(config)
    hidden = config.hidden_size
    if config.model_type == "minimax_text_01":
        width = config.num_attention_heads * head_dim(config)
        return 5 * hidden * width + width  # Q, K, V, gate, output; norm
    keys = config.need("linear_num_key_heads") * config.need("linear_key_head_dim")
    heads, value = config.need("linear_num_value_heads"), config.need("linear_value_head_dim")
    values = heads * value
    projections = hidden * (2 * keys + 2 * values) + hidden * 2 * heads + values * hidden
    return (
        projections
        + (2 * keys + values) * config.need("linear_conv_kernel_dim")
        + 2 * heads
        + value
    )


def _mamba1(config: Config) -> int:
    hidden = config.hidden_size
    width = config.need("mamba_expand") * hidden
    state, rank = config.need("mamba_d_state"), config.need("mamba_dt_rank")
    conv = width * config.need("mamba_d_conv") + width
    inner = width * (rank + 2 * state) + rank * width + width + width * state + width
    return hidden * 2 * width + conv + inner + width * hidden + rank + 2 * state


def _nemotron_block(config: Config, kind: str) -> tuple[int, bool]:
    hidden = config.hidden_size
    blocks: Mapping[str, Callable[[Config], int]] = {
        "mamba": _mamba2,
        "full": _attention,
        "mlp": lambda c: 2 * hidden * c.need("intermediate_size"),
        "moe": _nemotron_moe,
    }
    return blocks[kind](config) + hidden, kind == "moe"


def _nemotron_moe(config: Config) -> int:
    number, hidden = expert_count(config), config.hidden_size
    shared = (config.n_shared_experts or 0) * (config.moe_shared_expert_intermediate_size or 0)
    return hidden * number + number + 2 * hidden * shared


def _mamba2(config: Config) -> int:
    hidden, heads = config.hidden_size, config.need("mamba_num_heads")
    width = heads * config.need("mamba_head_dim")
    groups = config.need("n_groups") * config.need("ssm_state_size")
    conv = width + 2 * groups
    projection = hidden * (2 * width + 2 * groups + heads)
    return (
        projection + conv * config.need("conv_kernel") + conv + 3 * heads + width + width * hidden
    )
