"""Parameters of a LoRA adapter from a model's linear layers; families not known here raise."""

from collections.abc import Mapping
from typing import Literal

from tools.architecture import head_dim, kv_heads
from tools.checkpoints import Model
from tools.config_json import Config
from tools.result import ToolError

Targets = Literal["all", "attention", "mlp", "qv"]

DENSE = ("llama", "mistral", "qwen2", "qwen3", "phi3", "gemma2", "gemma3_text")
"""Families whose every layer has q, k, v, o, gate, up and down."""

CHOSEN: Mapping[Targets, tuple[str, ...]] = {
    "all": ("q", "k", "v", "o", "gate", "up", "down"),
    "attention": ("q", "k", "v", "o"),
    "mlp": ("gate", "up", "down"),
    "qv": ("q", "v"),
}


def widths(config: Config) -> Mapping[str, int]:
    """Inputs plus outputs of each linear matrix of one layer: parameters at rank 1."""
    if config.model_type not in DENSE:
        raise ToolError(
            "model",
            config.model_type,
            f"its linear layers are not known here (known: {', '.join(DENSE)}): "
            "give params_per_rank",
        )
    hidden, width = config.hidden_size, head_dim(config)
    query, shared = config.num_attention_heads * width, kv_heads(config) * width
    inner = config.need("intermediate_size")
    return {
        "q": hidden + query,
        "k": hidden + shared,
        "v": hidden + shared,
        "o": query + hidden,
        "gate": hidden + inner,
        "up": hidden + inner,
        "down": inner + hidden,
    }


def params_per_rank(model: Model, targets: Targets) -> int:
    """Parameters of an adapter of rank 1: inputs + outputs of every target matrix."""
    shapes = widths(model.config)
    return sum(shapes[name] for name in CHOSEN[targets]) * model.config.num_hidden_layers
