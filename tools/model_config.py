"""`model_config`: what a config.json says of a model: parameters, layers, weight bytes, cache."""

from collections import Counter
from typing import get_args

from tools.cache_layout import growing_bytes
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.precision import BYTES, GB, GIB, Dtype
from tools.registry import tool
from tools.working import Working, plain


class ModelConfigArguments(ModelArguments):
    """Arguments of model_config."""


@tool(
    group="model_config",
    example={"model": "DeepSeek-V3"},
    drawing=Drawing(
        kind="bars",
        title="Where the parameters are",
        x="part",
        x_label="part of the model",
        y_label="billions of parameters",
        series=(Series("params_b", "parameters"),),
    ),
)
def model_config(given: ModelConfigArguments) -> Working:
    """Parameters in all and per token, layers by kind, and bytes of the weights by format.

    Summed over the tensors of the architecture; a tied embedding counts once, routed experts by
    their own width, a quantised checkpoint by its quantisation and not by torch_dtype. Unknown
    architectures are refused.
    """
    model = given.chosen()
    work = Working(headline="total_params", source=model.source)
    _put_parameters(work, model)
    _put_weights(work, model)
    _put_layers(work, model)
    model.tell(work)
    return work


def _put_parameters(work: Working, model: Model) -> None:
    sizes = model.parameters
    unit = "parameters"
    work.put("total_params", sizes.total, unit, "in all, without MTP layers", "count")
    work.put("active_params", sizes.active, unit, "per token, with lm_head, no embedding", "count")
    both, layers = sizes.active_with_embedding, sizes.active_body
    work.put("active_with_embedding", both, unit, "per token, with lm_head and embedding", "count")
    work.put("active_in_layers", layers, unit, "per token, without both", "count")
    work.put("embedding_params", sizes.embedding, unit, "embedding matrix", "count")
    routed = sizes.routed
    if sizes.experts:
        work.put("expert_params", routed, unit, "routed experts, all", "count")
        work.put("experts", sizes.experts.count, "experts/layer", "routed experts", "count")
        work.put(
            "experts_per_token", sizes.experts.per_token, "experts/token/layer", "at work", "count"
        )
        work.put("moe_layers", sizes.experts.layers, "layers", "with routed experts", "count")
    parts = {"embedding": sizes.embedding, "lm_head": sizes.head, "layers": sizes.body}
    parts |= {"routed experts": routed} if routed else {}
    work.formula = (
        " + ".join(f"{plain(size)} {name}" for name, size in parts.items() if size)
        + f" = {plain(sizes.total)}"
    )
    work.table = [{"part": name, "params_b": size / 1e9} for name, size in parts.items() if size]
    if not sizes.head:
        work.assume("tied embedding: one matrix, counted once, and it works as lm_head")
    work.assume("active parameters: three conventions, which differ by lm_head and embedding")
    if model.config.model_type == "llama4_text":
        work.assume("the text model only; the vision tower is not counted")


def _put_weights(work: Working, model: Model) -> None:
    total = model.parameters.total
    for dtype in get_args(Dtype):
        work.put(f"weights_GB_{dtype}", total * BYTES[dtype] / GB, "GB", f"all at {dtype}")
    if model.config.quantization_config and model.stored_dtype not in ("fp8", "mxfp4"):
        work.warn(f"stored as {model.stored_dtype}, whose bytes are not known here")
        return
    stored, how = model.weight_bytes(None)
    work.put("weights_GB_stored", stored / GB, "GB", "as the checkpoint stores them")
    work.put("weights_GiB_stored", stored / GIB, "GiB", "as the checkpoint stores them")
    work.assume(how, "GB is 1e9 bytes, GiB is 2^30")


def _put_layers(work: Working, model: Model) -> None:
    config = model.config
    work.put("layers", config.num_hidden_layers, "layers", "as the config counts them", "count")
    for kind, number in Counter(model.architecture.kinds).items():
        work.put(f"layers_{kind}", number, "layers", f"of kind {kind}", "count")
    work.put("hidden_size", config.hidden_size, "elements", "width of the residual stream", "count")
    work.put("heads", config.num_attention_heads, "heads", "query heads", "count")
    for group in model.architecture.cached[:1]:
        what = "one latent row for all heads" if group.latent else "KV heads"
        work.put("kv_heads", group.heads, "heads", what, "count")
        work.put("cached_width", group.width, "elements", "per token and KV head, K and V", "count")
    if config.max_position_embeddings:
        work.put("max_context", config.max_position_embeddings, "tokens", "positions", "count")
    per_token = growing_bytes(model.architecture, "bf16")
    work.put("kv_bytes_per_token", per_token, "B/token", "KV cache at bf16, growing part")
