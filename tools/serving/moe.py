"""`moe`: how many experts a batch pulls through memory, and what that leaves of the saving."""

from pydantic import Field

from tools.checkpoints import ModelArguments
from tools.figure import Drawing, Series
from tools.parameters import Experts
from tools.precision import BYTES, GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.serving.routing import distinct, inclusion
from tools.working import Working, plain

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class MoeArguments(ModelArguments):
    """Arguments of moe."""

    experts: int | None = Field(
        default=None, ge=1, le=4096, description="Routed experts of a layer, no model"
    )
    per_token: int | None = Field(
        default=None, ge=1, le=4096, description="Experts that a token chooses, no model"
    )
    batch: int = Field(default=32, ge=1, le=1_000_000, description="Tokens of the step")
    skew: float = Field(
        default=0,
        ge=0,
        le=4,
        description="Zipf exponent of the experts' popularity; 0 is uniform routing",
    )
    weight_dtype: Dtype = Field(default="fp8", description="Format of the experts, for bytes")
    bandwidth_tb_s: float | None = Field(
        default=None,
        ge=1e-9,
        le=1e6,
        description="Memory bandwidth over all GPUs, TB/s, for a time",
    )


@tool(
    group="moe",
    example={"model": "DeepSeek-V3", "batch": 32},
    drawing=Drawing(
        kind="line",
        title="Distinct experts of a layer against the tokens of a step",
        x="batch",
        x_label="tokens of the step",
        y_label="experts",
        series=(Series("distinct", "distinct experts"), Series("per_expert", "tokens per expert")),
        log_x=True,
    ),
)
def moe(given: MoeArguments) -> Working:
    """Expected distinct experts that a step reads, E(1 - (1 - k/E)^B), and their bytes.

    Active parameters describe one token; the batch decides how many experts are read. A skew makes
    tokens share experts, so that fewer are read.
    """
    sizes, source = _experts(given)
    e, k, batch = sizes.count, sizes.per_token, given.batch
    work = Working(headline="distinct_experts", source=source)
    found = distinct(e, k, batch, given.skew)
    work.put("distinct_experts", found, "experts/layer", "expected distinct", "estimate")
    work.put("coverage", found / e, "fraction", "of the experts", "estimate")
    work.put("tokens_per_expert", batch * k / found, "tokens", "on each that is read", "estimate")
    most = min(e, k * batch)
    work.put("most_experts", most, "experts/layer", "min(E, kB)", "ceiling")
    full = _batch_for(sizes, given.skew, 0.99)
    if full:
        work.put("full_batch", full, "tokens", "batch that reads 99 % of the experts", "estimate")
    if sizes.each:
        _put_bytes(work, sizes, given, found)
    tail = "" if not given.skew else f", Zipf {plain(given.skew)}: sum over experts"
    work.formula = f"{e} x (1 - (1 - {k}/{e})^{batch:,}) = {plain(distinct(e, k, batch))}{tail}"
    if given.skew:
        work.formula += f" = {plain(found)}"
    work.assume(
        "tokens choose independently"
        + (", every expert alike" if not given.skew else " of one another"),
        "the tokens of one request resemble one another: real batches read fewer",
    )
    if given.skew:
        hot = inclusion(e, k, given.skew)[0]
        work.put("hottest_share", hot, "fraction", "of the tokens choose the hottest", "estimate")
    work.table = [
        {
            "batch": b,
            "distinct": distinct(e, k, b, given.skew),
            "per_expert": b * k / distinct(e, k, b, given.skew),
        }
        for b in sorted({*BATCHES, batch})
    ]
    return work


def _experts(given: MoeArguments) -> tuple[Experts, str]:
    if given.names_model:
        if given.experts is not None or given.per_token is not None:
            raise ToolError("experts", given.experts, "give a model or experts, not both")
        model = given.chosen()
        found = model.parameters.experts
        if found is None:
            raise ToolError("model", model.name, "is dense: it has no routed experts")
        return found, f"independent routing; {model.source}"
    if given.experts is None or given.per_token is None:
        field = "experts" if given.experts is None else "per_token"
        raise ToolError(field, None, "is needed: give a model, or experts and per_token")
    if given.per_token > given.experts:
        raise ToolError("per_token", given.per_token, f"is more than {given.experts} experts")
    return Experts(1, given.experts, given.per_token, 0), "independent routing"


def _put_bytes(work: Working, sizes: Experts, given: MoeArguments, found: float) -> None:
    each = sizes.each * BYTES[given.weight_dtype]
    read = found * each * sizes.layers
    work.put("expert_MB", each / 1e6, "MB", f"one expert of one layer at {given.weight_dtype}")
    work.put("read_GB", read / GB, "GB/step", "routed experts read, all layers", "estimate")
    one = sizes.per_token * each * sizes.layers
    work.put("read_GB_batch_1", one / GB, "GB/step", "at batch 1")
    work.put("read_ratio", read / one, "x", "against batch 1", "estimate")
    work.put("read_GB_per_token", read / GB / given.batch, "GB/token", "shared by all", "estimate")
    if given.bandwidth_tb_s is not None:
        ms = read / (given.bandwidth_tb_s * 1e12) * 1e3
        work.put("read_ms", ms, "ms", "reading them", "floor")
    work.assume("shared experts and attention are not counted")


def _batch_for(sizes: Experts, skew: float, share: float) -> int | None:
    def reached(batch: int) -> bool:
        return distinct(sizes.count, sizes.per_token, batch, skew) >= share * sizes.count

    powers = (1 << power for power in range(15))
    high = next((batch for batch in powers if reached(batch)), None)
    if high is None:
        return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
