"""What each layer of a model caches per token and per sequence; unknown families raise."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tools.config_json import Config
from tools.result import ToolError

CacheKind = Literal["full", "sliding", "chunked"]


@dataclass(frozen=True)
class CachedLayers:
    """Layers of one kind that cache keys and values in the same shape."""

    kind: CacheKind
    layers: int
    heads: int
    """KV heads; 1 for MLA, whose latent no head owns."""
    width: int
    """Elements per token and head: K and V, or latent and rope part for MLA."""
    window: int | None = None
    """Tokens that are kept, where not all are."""
    latent: bool = False
    indexer: int = 0
    """Bytes per token and layer of a sparse-attention indexer's keys, in a fixed format."""
    topk: int | None = None
    """Tokens that sparse attention reads per step."""


@dataclass(frozen=True)
class RecurrentLayers:
    """Layers with a state of fixed size per sequence, in elements per layer."""

    layers: int
    conv: int
    temporal: int
    heads: int
    """How many ways the state can be divided by tensor parallelism."""


@dataclass(frozen=True)
class Architecture:
    """A model as far as its cache is concerned."""

    model_type: str
    heads: int
    """Query heads."""
    qk_width: int
    """Elements of a query or key per head in the product; for MLA not the cached width."""
    v_width: int
    cached: tuple[CachedLayers, ...]
    recurrent: RecurrentLayers | None
    kinds: tuple[str, ...]
    """Every layer's kind, in order: full, sliding, chunked, linear, mamba, mlp, moe."""

    latent_rope: int = 0
    """Elements of an MLA row that carry position only and take no part in the values."""

    @property
    def is_latent(self) -> bool:
        """True for MLA."""
        return any(group.latent for group in self.cached)


HALF_HIDDEN = (
    "llama",
    "mistral",
    "mixtral",
    "qwen2",
    "phi3",
    "opt",
    "jamba",
    "llama4_text",
    "minimax_text_01",
    "nemotron_h",
)
"""Families whose head_dim, where it is not given, is hidden_size / num_attention_heads."""
MHA_DEFAULT = ("llama", "phi3", "opt")
"""Families that have as many KV heads as heads where num_key_value_heads is absent."""
LATENT = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_linear")
"""Families with multi-head latent attention (MLA)."""
LAYER_TYPES: Mapping[str, str] = {
    "full_attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
}


def derive(config: Config) -> Architecture:
    """The cache structure of a config; ToolError for an architecture that is not known here."""
    layout = FAMILIES.get(config.model_type)
    if layout is None:
        known = ", ".join(sorted(FAMILIES))
        raise ToolError(
            "config.model_type",
            config.model_type,
            f"no formula for this architecture; known: {known}",
        )
    if config.kv_source_layer_ids:
        raise ToolError(
            "config.kv_source_layer_ids", "…", "layers that reuse another's cache are not covered"
        )
    if config.kv_lora_rank is not None and config.model_type not in LATENT:
        raise ToolError(
            "config.kv_lora_rank", config.kv_lora_rank, f"is not for model_type {config.model_type}"
        )
    kinds = _by_types(config) if config.layer_types else layout(config)
    cached = _cached(config, kinds)
    latent = config.model_type in LATENT
    qk = (
        config.need("qk_nope_head_dim") + config.need("qk_rope_head_dim")
        if latent
        else head_dim(config)
    )
    return Architecture(
        model_type=config.model_type,
        heads=config.num_attention_heads,
        qk_width=qk,
        v_width=config.need("v_head_dim") if latent else qk,
        cached=cached,
        recurrent=_recurrent(config, kinds),
        kinds=kinds,
        latent_rope=config.need("qk_rope_head_dim") if latent else 0,
    )


def head_dim(config: Config) -> int:
    """Width of one head as stated; hidden_size / heads only for the families that define it so."""
    stated = config.head_dim or config.attention_head_dim
    if stated:
        return stated
    if config.model_type not in HALF_HIDDEN:
        raise ToolError(
            "config.head_dim",
            None,
            f"is needed: for {config.model_type} it is not hidden_size / heads",
        )
    width, rest = divmod(config.hidden_size, config.num_attention_heads)
    if rest or not width:
        raise ToolError(
            "config.hidden_size",
            config.hidden_size,
            "does not divide by num_attention_heads; state head_dim",
        )
    return width


def kv_heads(config: Config) -> int:
    """KV heads as stated; as many as query heads only for the families that default so."""
    if config.num_key_value_heads:
        return config.num_key_value_heads
    if config.model_type in MHA_DEFAULT:
        return config.num_attention_heads
    raise ToolError(
        "config.num_key_value_heads", None, f"is needed for model_type {config.model_type}"
    )


def _cached(config: Config, kinds: tuple[str, ...]) -> tuple[CachedLayers, ...]:
    shared = config.num_kv_shared_layers or 0
    if shared >= len(kinds):
        raise ToolError("config.num_kv_shared_layers", shared, f"must be under {len(kinds)}")
    own = kinds[: len(kinds) - shared]
    counts = Counter(own)
    groups = (
        _group(config, kind, counts[kind])
        for kind in ("full", "sliding", "chunked")
        if counts[kind]
    )
    return tuple(groups)


def _group(config: Config, kind: CacheKind, layers: int) -> CachedLayers:
    if config.model_type in LATENT:
        width = config.need("kv_lora_rank") + config.need("qk_rope_head_dim")
        indexer = config.index_head_dim + 4 if config.index_head_dim else 0
        return CachedLayers(
            kind, layers, 1, width, latent=True, indexer=indexer, topk=config.index_topk
        )
    heads, width = kv_heads(config), head_dim(config)
    if kind == "full" and config.global_head_dim:
        heads, width = config.need("num_global_key_value_heads"), config.global_head_dim
    if kind == "full":
        return CachedLayers(kind, layers, heads, 2 * width)
    window = config.need("attention_chunk_size" if kind == "chunked" else "sliding_window")
    return CachedLayers(kind, layers, heads, 2 * width, window=window)


# --- which layer is what, per family ---


def _by_types(config: Config) -> tuple[str, ...]:
    types = config.layer_types or []
    if len(types) != config.num_hidden_layers:
        raise ToolError(
            "config.layer_types", len(types), f"must list {config.num_hidden_layers} layers"
        )
    strange = [name for name in types if name not in LAYER_TYPES]
    if strange:
        raise ToolError(
            "config.layer_types", strange[0][:60], f"unknown; known: {', '.join(LAYER_TYPES)}"
        )
    return tuple(LAYER_TYPES[name] for name in types)


def _full(config: Config) -> tuple[str, ...]:
    return ("full",) * config.num_hidden_layers


def _window_if_set(config: Config) -> tuple[str, ...]:
    return ("sliding" if config.sliding_window else "full",) * config.num_hidden_layers


def _qwen(config: Config) -> tuple[str, ...]:
    """`sliding_window` counts only with `use_sliding_window`, from layer `max_window_layers` on."""
    if not (config.use_sliding_window and config.sliding_window):
        return _full(config)
    first = config.need("max_window_layers")
    return tuple("full" if i < first else "sliding" for i in range(config.num_hidden_layers))


def _every(period: int, other: str) -> Callable[[Config], tuple[str, ...]]:
    """Full attention in every `period`-th layer, `other` in the rest."""

    def layout(config: Config) -> tuple[str, ...]:
        return tuple(
            "full" if (i + 1) % period == 0 else other for i in range(config.num_hidden_layers)
        )

    return layout


def _gemma3(config: Config) -> tuple[str, ...]:
    return _every(config.sliding_window_pattern or 6, "sliding")(config)


def _interval(config: Config) -> tuple[str, ...]:
    return _every(config.need("full_attention_interval"), "linear")(config)


def _jamba(config: Config) -> tuple[str, ...]:
    period, offset = config.need("attn_layer_period"), config.need("attn_layer_offset")
    return tuple(
        "full" if i % period == offset else "mamba" for i in range(config.num_hidden_layers)
    )


def _nemotron(config: Config) -> tuple[str, ...]:
    """One letter a block; blocks that are an MLP or an expert layer cache nothing."""
    letters = {"M": "mamba", "*": "full", "-": "mlp", "E": "moe"}
    pattern = config.hybrid_override_pattern or ""
    if len(pattern) != config.num_hidden_layers or set(pattern) - set(letters):
        raise ToolError(
            "config.hybrid_override_pattern",
            pattern[:80],
            f"needs {config.num_hidden_layers} letters of M * - E",
        )
    return tuple(letters[letter] for letter in pattern)


def _kimi_linear(config: Config) -> tuple[str, ...]:
    lists = config.linear_attn_config
    if lists is None:
        raise ToolError("config.linear_attn_config", None, "is needed for model_type kimi_linear")
    full, linear = set(lists.full_attn_layers), set(lists.kda_layers)
    if full & linear or full | linear != set(range(1, config.num_hidden_layers + 1)):
        raise ToolError(
            "config.linear_attn_config", "…", "the two lists must cover layers 1..n once each"
        )
    return tuple("full" if i in full else "linear" for i in range(1, config.num_hidden_layers + 1))


def _needs_types(config: Config) -> tuple[str, ...]:
    raise ToolError("config.layer_types", None, f"is needed for model_type {config.model_type}")


FAMILIES: Mapping[str, Callable[[Config], tuple[str, ...]]] = {
    "llama": _full,
    "opt": _full,
    "mistral": _window_if_set,
    "mixtral": _window_if_set,
    "phi3": _window_if_set,
    "qwen2": _qwen,
    "qwen3": _qwen,
    "qwen3_moe": _qwen,
    "qwen3_next": _interval,
    "qwen3_5_text": _interval,
    "gpt_oss": _needs_types,
    "gemma2": _every(2, "sliding"),
    "gemma3_text": _gemma3,
    "gemma4_text": _needs_types,
    "glm4_moe": _full,
    "minimax_m2": _full,
    "minimax_text_01": _needs_types,
    "llama4_text": _every(4, "chunked"),
    "deepseek_v2": _full,
    "deepseek_v3": _full,
    "deepseek_v32": _full,
    "kimi_k2": _full,
    "kimi_linear": _kimi_linear,
    "nemotron_h": _nemotron,
    "jamba": _jamba,
}


# --- state of fixed size ---


def _recurrent(config: Config, kinds: tuple[str, ...]) -> RecurrentLayers | None:
    layers = sum(kind in ("linear", "mamba") for kind in kinds)
    if not layers:
        return None
    conv, temporal, heads = _state(config)
    return RecurrentLayers(layers, conv, temporal, heads)


def _state(config: Config) -> tuple[int, int, int]:
    """(conv elements, temporal elements, heads) per layer."""
    need = config.need
    if config.linear_attn_config:
        kda = config.linear_attn_config
        width = kda.num_heads * kda.head_dim
        return 3 * width * (kda.short_conv_kernel_size - 1), width * kda.head_dim, kda.num_heads
    if config.model_type == "nemotron_h":
        width = need("mamba_num_heads") * need("mamba_head_dim")
        conv = width + 2 * need("n_groups") * need("ssm_state_size")
        return (
            conv * (need("conv_kernel") - 1),
            width * need("ssm_state_size"),
            need("mamba_num_heads"),
        )
    if config.model_type == "jamba":
        width = need("mamba_expand") * config.hidden_size
        return width * (need("mamba_d_conv") - 1), width * need("mamba_d_state"), width
    if config.model_type == "minimax_text_01":
        width = head_dim(config)
        return 0, config.num_attention_heads * width * width, config.num_attention_heads
    keys = need("linear_num_key_heads") * need("linear_key_head_dim")
    values = need("linear_num_value_heads") * need("linear_value_head_dim")
    conv = (2 * keys + values) * (need("linear_conv_kernel_dim") - 1)
    return conv, values * need("linear_key_head_dim"), need("linear_num_value_heads")
