"""`expert_traffic`: bytes that expert parallelism sends per token, over NVLink and over the NIC."""

from math import comb

from pydantic import Field

from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.precision import BYTES, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class ExpertTrafficArguments(ModelArguments):
    """Arguments of expert_traffic."""

    nodes: int = Field(default=4, ge=1, le=1024, description="Nodes that share the experts")
    node_limit: int | None = Field(
        default=None, ge=1, le=1024, description="Most nodes whose experts a token may choose"
    )
    tokens: int = Field(default=128, ge=1, le=10_000_000, description="Tokens of each GPU's step")
    dispatch_dtype: Dtype = Field(default="fp8", description="Format of activations sent out")
    combine_dtype: Dtype = Field(default="bf16", description="Format of the results sent back")
    nic_gb_s: float | None = Field(
        default=None, ge=1e-9, le=1e4, description="NIC of one GPU, GB/s in one direction, e.g. 50"
    )
    nvlink_gb_s: float | None = Field(
        default=None, ge=1e-9, le=1e4, description="NVLink of one GPU, GB/s in one direction"
    )


@tool(
    group="moe",
    example={"model": "DeepSeek-V3", "nodes": 8, "node_limit": 4, "nic_gb_s": 50},
    drawing=Drawing(
        kind="bars",
        title="Bytes per token over the NIC, by nodes",
        x="nodes",
        x_label="nodes that share the experts",
        y_label="MB per token, all layers",
        series=(Series("aware_MB", "one copy for each node"),),
        marker=Series("plain_MB", "one copy for each expert"),
    ),
)
def expert_traffic(given: ExpertTrafficArguments) -> Working:
    """Dispatch and combine of every MoE layer: bytes per token, on NVLink and on the NIC.

    Each token goes to k experts and comes back, twice per layer. Node-aware dispatch sends one copy
    to each remote node and spreads it there over NVLink; plain dispatch one copy to each expert.
    """
    model = given.chosen()
    experts = model.parameters.experts
    if experts is None:
        raise ToolError("model", model.name, "is dense: it has no experts to send tokens to")
    if experts.count % given.nodes:
        raise ToolError("nodes", given.nodes, f"do not divide {experts.count} experts")
    hidden, k = model.config.hidden_size, experts.per_token
    size = hidden * (BYTES[given.dispatch_dtype] + BYTES[given.combine_dtype])
    work = Working(headline="bytes_per_token", source=f"uniform routing; {model.source}")
    whole = size * k * experts.layers
    work.put("bytes_per_token", whole, "B/token", "dispatch and combine, all MoE layers")
    work.put("calls_per_step", 2 * experts.layers, "calls/step", "all-to-alls", "count")
    work.put("bytes_per_layer", size * k, "B/token/layer", "to k experts and back")
    flat, aware = _copies(given, experts.count, k, given.nodes)
    work.put("nic_copies_plain", flat, "copies", "that leave the node, one for each expert")
    work.put("nic_copies_aware", aware, "copies", "one for each remote node", "estimate")
    layers = size * experts.layers
    work.put("nic_bytes_plain", flat * layers, "B/token", "over the NIC, plain dispatch")
    work.put("nic_bytes_aware", aware * layers, "B/token", "over the NIC, node-aware", "estimate")
    work.put("nvlink_bytes", k * layers, "B/token", "within nodes, node-aware, at most", "ceiling")
    if aware:
        work.put("nic_saving", flat / aware, "x", "by node-aware dispatch", "estimate")
    _put_times(work, given, aware * layers, k * layers)
    work.formula = (
        f"{hidden:,} x {k} x ({BYTES[given.dispatch_dtype]:g} + {BYTES[given.combine_dtype]:g}) B "
        f"x {experts.layers} layers = {plain(whole)} B/token"
    )
    model.tell(work)
    work.assume(
        "routing is uniform; the token's own node is as likely as any; no scales or headers"
    )
    work.table = _rows(given, model, layers)
    return work


def _copies(given: ExpertTrafficArguments, experts: int, k: int, nodes: int) -> tuple[float, float]:
    """Copies of a token that leave its node: one for each expert, and one for each node."""
    remote = 1 - 1 / nodes
    untouched = comb(experts - experts // nodes, k) / comb(experts, k)
    reached = nodes * (1 - untouched)
    if given.node_limit is not None:
        reached = min(reached, given.node_limit)
    return k * remote, reached * remote


def _put_times(work: Working, given: ExpertTrafficArguments, nic: float, nvlink: float) -> None:
    for name, rate, moved in (
        ("nic", given.nic_gb_s, nic),
        ("nvlink", given.nvlink_gb_s, nvlink),
    ):
        if rate is not None:
            ms = given.tokens * moved / (rate * 1e9) * 1e3
            label = f"{given.tokens:,} tokens of each GPU over its {name}"
            work.put(f"{name}_ms", ms, "ms/step", label, "floor")


def _rows(given: ExpertTrafficArguments, model: Model, layers: float) -> list[dict[str, float]]:
    experts = model.parameters.experts
    rows = []
    for nodes in sorted({1, 2, 4, 8, 16, 32, given.nodes}):
        if experts is None or experts.count % nodes:
            continue
        flat, aware = _copies(given, experts.count, experts.per_token, nodes)
        rows.append(
            {"nodes": nodes, "plain_MB": flat * layers / 1e6, "aware_MB": aware * layers / 1e6}
        )
    return rows
