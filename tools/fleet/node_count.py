"""`node_count`: nodes for a replica from weights, KV cache and reserve; nothing is presumed."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class NodeArguments(Arguments):
    """Arguments of node_count."""

    weights_gb: float = Field(ge=1e-3, le=1e6, description="Weights of one replica in GB (1e9 B)")
    kv_gb: float = Field(
        ge=0, le=1e6, description="KV cache that a replica must hold in GB; 0: weights alone"
    )
    gpu: str | None = Field(default=None, max_length=60, description="GPU by name, e.g. H100")
    memory_gb: float | None = Field(
        default=None, ge=1, le=1e4, description="Memory of one GPU in GB, instead of the GPU's"
    )
    gpus_per_node: int = Field(default=8, ge=1, le=576, description="GPUs of one node")
    utilisation: float = Field(
        default=0.92, ge=0.1, le=1, description="Share of the memory that the engine may take"
    )
    reserve_gb: float = Field(
        default=0, ge=0, le=1e4, description="Per GPU: activations, graphs, buffers, in GB"
    )
    copies: float = Field(
        default=1, ge=1, le=64, description="How often weights are kept, e.g. replicated experts"
    )


@tool(
    group="fleet_capacity",
    example={"weights_gb": 1026, "kv_gb": 500, "gpu": "H100", "reserve_gb": 5},
    drawing=Drawing(
        kind="bars",
        title="What fills the memory of so many nodes",
        x="nodes",
        x_label="nodes",
        y_label="GB",
        series=(
            Series("weights_GB", "weights"),
            Series("kv_GB", "KV cache asked"),
        ),
        marker=Series("usable_GB", "usable"),
    ),
)
def node_count(given: NodeArguments) -> Working:
    """Fewest whole nodes whose GPUs hold a replica: weights, KV cache and reserve.

    nodes = ceil((weights x copies + KV) / (GPUs x (memory x utilisation - reserve))). The KV cache
    must be stated: a node count from weights alone says only that they fit.
    """
    if (given.gpu is None) == (given.memory_gb is None):
        raise ToolError("gpu", given.gpu, "give either a GPU's name or memory_gb")
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    memory = gpu.spec.memory_gb if gpu else given.memory_gb or 0.0
    usable = given.gpus_per_node * (memory * given.utilisation - given.reserve_gb)
    if usable <= 0:
        raise ToolError("reserve_gb", given.reserve_gb, "leaves no memory on the GPU")
    asked = given.weights_gb * given.copies + given.kv_gb
    nodes = max(1, ceil(asked / usable - 1e-9))
    work = Working(headline="nodes", source=gpu.spec.source if gpu else "memory as given")
    work.put("nodes", nodes, "nodes", "for one replica", "count")
    work.put("gpus", nodes * given.gpus_per_node, "GPUs", "for one replica", "count")
    alone = max(1, ceil(given.weights_gb / usable - 1e-9))
    work.put("nodes_for_weights", alone, "nodes", "for one copy of the weights alone", "count")
    work.put("usable_GB", usable, "GB/node", "usable on one node (GB is 1e9 bytes)")
    work.put("left_GB", nodes * usable - asked, "GB", "left on those nodes")
    if gpu:
        gpu.tell(work)
    work.formula = (
        f"({plain(given.weights_gb * given.copies)} + {plain(given.kv_gb)}) GB / "
        f"({given.gpus_per_node} x {plain(usable / given.gpus_per_node)} GB) -> "
        f"{counted(nodes, 'node')}"
    )
    work.assume("the nominal memory of the GPU; weights and cache divide evenly over all GPUs")
    if not given.kv_gb:
        work.warn(
            "weights alone: more nodes than this rest on KV cache, activations or copies of "
            "experts, which must be stated"
        )
    work.table = [
        {
            "nodes": n,
            "weights_GB": given.weights_gb * given.copies,
            "kv_GB": given.kv_gb,
            "usable_GB": n * usable,
        }
        for n in range(max(1, nodes - 2), nodes + 3)
    ]
    return work
