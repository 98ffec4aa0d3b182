"""`decode_roofline`: least time of a decode step, its parts, and where arithmetic takes over."""

from pydantic import Field

from tools.cache_layout import EVENLY, Share
from tools.checkpoints import Model, ModelArguments
from tools.decode_step import Step, read_bytes
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import BYTES, GB, Dtype, scales_note
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class DecodeArguments(ModelArguments):
    """Arguments of decode_roofline."""

    weight_dtype: Dtype | None = Field(
        default=None, description="Format of the weights; default: as the checkpoint stores them"
    )
    weights_gb: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e6,
        description="Weights read per step in GB (1e9 B), over all GPUs, instead of the model's",
    )
    params_b: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e6,
        description="Parameters that work on a token, in billions, for the arithmetic",
    )
    kv_dtype: Dtype = Field(default="bf16", description="Format of the KV cache")
    kv_bytes_per_token: float | None = Field(
        default=None,
        ge=0,
        le=1e9,
        description="KV bytes per token over all GPUs, instead of the model's",
    )
    context: int = Field(
        default=0,
        ge=0,
        le=100_000_000,
        description="Tokens of context per sequence that each step reads",
    )
    batch: int = Field(default=1, ge=1, le=1_000_000, description="Sequences that decode together")
    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name, e.g. H200, H100, B200"
    )
    bandwidth_tb_s: float | None = Field(
        default=None,
        ge=1e-6,
        le=1000,
        description="Memory bandwidth of one GPU in TB/s (1e12 B/s), instead of the GPU's",
    )
    peak_tflops: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e6,
        description="Dense peak of one GPU in TFLOPS, instead of the GPU's",
    )
    gpus: int = Field(
        default=1, ge=1, le=1024, description="GPUs that share the model by tensor parallelism"
    )
    bandwidth_efficiency: float | None = Field(
        default=None,
        ge=1e-6,
        le=1,
        description="Share of the bandwidth that is reached; gives an estimate beside the floor",
    )
    compute_efficiency: float | None = Field(
        default=None,
        ge=1e-6,
        le=1,
        description="Share of the peak that is reached; used for the crossover batch",
    )
    measured_ms: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e7,
        description="Measured time of one step in ms; gives the bandwidth utilisation (MBU)",
    )


@tool(
    group="decode_roofline",
    example={
        "model": "Llama-3.3-70B",
        "weights_gb": 70,
        "weight_dtype": "fp8",
        "gpu": "H200",
        "batch": 20,
        "context": 8192,
    },
    drawing=Drawing(
        kind="bars",
        title="Least time of a decode step against the batch",
        x="batch",
        x_label="sequences in the batch",
        y_label="ms per step",
        series=(Series("weights_ms", "weights"), Series("kv_ms", "KV cache")),
        marker=Series("compute_ms", "arithmetic"),
    ),
)
def decode_roofline(given: DecodeArguments) -> Working:
    """Least time of one decode step: the bytes of weights and KV cache, or the arithmetic.

    Floor = max((weights + batch x context x KV bytes) / bandwidth, 2 x parameters x batch / peak).
    An estimate is given only with an efficiency, and is a measure of its own.
    """
    model = given.chosen() if given.names_model else None
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    source = "; ".join(
        [
            "roofline: bytes over bandwidth",
            *([model.source] if model else []),
            *([gpu.spec.source] if gpu else []),
        ]
    )
    work = Working(headline="step_floor_ms", source=source)
    step = _step(given, model, gpu, work)
    _put_floor(work, step, given.batch)
    _put_crossover(work, step, given)
    _put_measured(work, step, given)
    work.formula = _formula(step, given)
    work.assume(
        "GB is 1e9 bytes; each weight and cached token is read once; no transfers between GPUs"
    )
    for named in (model, gpu):
        if named:
            named.tell(work)
    work.table = _rows(step, given.batch)
    return work


def _step(given: DecodeArguments, model: Model | None, gpu: NamedGpu | None, work: Working) -> Step:
    bandwidth = given.bandwidth_tb_s or (gpu.spec.bandwidth_tb_s if gpu else None)
    if bandwidth is None:
        raise ToolError("gpu", None, "is required: a GPU's name, or bandwidth_tb_s")
    weights, lookup, expert = _weights(given, model, work)
    moe = model.parameters.experts if model and expert else None
    active = _active(given, model)
    return Step(
        weights=weights / given.gpus,
        lookup=lookup / given.gpus,
        expert=expert / given.gpus,
        experts=moe,
        kv_sequence=_kv(given, model, work),
        flops=2 * active / given.gpus if active else None,
        bandwidth=bandwidth * 1e12,
        peak=_peak(given, model, gpu, work),
    )


def _weights(
    given: DecodeArguments, model: Model | None, work: Working
) -> tuple[float, float, float]:
    """Bytes over all GPUs: read at any batch, the embedding table of these, one routed expert."""
    if given.weights_gb is not None:
        work.assume(f"weights read per step: {plain(given.weights_gb)} GB as given, at any batch")
        return given.weights_gb * GB, 0.0, 0.0
    if model is None:
        raise ToolError("model", None, "is required: a model's name, its config, or weights_gb")
    total, how = model.weight_bytes(given.weight_dtype)
    work.assume(how, scales_note(given.weight_dtype, "the weights") if given.weight_dtype else "")
    sizes = model.parameters
    wide = BYTES[given.weight_dtype] if given.weight_dtype else 2.0
    lookup = sizes.embedding * wide if sizes.head else 0.0
    if lookup:
        work.assume(
            f"the embedding table ({plain(lookup / GB)} GB) counts as read, as is the custom; "
            "strict_floor_ms leaves it out"
        )
    if not sizes.experts:
        return total, lookup, 0.0
    work.assume(
        "experts read: expected distinct ones under independent uniform routing, not all of them"
    )
    dense = (sizes.total - sizes.routed) * wide
    return dense, lookup, (total - dense) / sizes.experts.count


def _active(given: DecodeArguments, model: Model | None) -> float | None:
    """Parameters that work on one token."""
    if given.params_b is not None:
        return given.params_b * 1e9
    sizes = model.parameters if model and (model.countable or given.weights_gb is None) else None
    dense = sizes is None or sizes.experts is None
    if given.weights_gb is not None and given.weight_dtype is not None and dense:
        return given.weights_gb * GB / BYTES[given.weight_dtype]
    return sizes.active if sizes else None


def _kv(given: DecodeArguments, model: Model | None, work: Working) -> float:
    """Bytes that one sequence's step reads on one GPU."""
    work.assume(scales_note(given.kv_dtype, "the cache") if model and given.context else "")
    if given.kv_bytes_per_token is not None:
        work.assume(EVENLY if given.gpus > 1 else "")
        return given.kv_bytes_per_token * given.context / given.gpus
    if model is None:
        if given.context:
            raise ToolError(
                "kv_bytes_per_token", None, "is needed to count the context: give it, or a model"
            )
        return 0.0
    share = Share(model.architecture, given.gpus, argument="gpus")
    if share.copies > 1:
        work.warn(
            f"{given.gpus} GPUs keep the cache {share.copies:g} times: each reads more than a share"
        )
    return read_bytes(model.architecture, share, given.kv_dtype, given.context)


def _peak(
    given: DecodeArguments, model: Model | None, gpu: NamedGpu | None, work: Working
) -> float | None:
    """FLOP/s of one GPU for the arithmetic of these weights."""
    if given.peak_tflops is not None:
        return given.peak_tflops * 1e12
    if gpu is None:
        return None
    stored = given.weight_dtype or (model.stored_dtype if model else "bf16")
    return gpu.arithmetic(stored, work) * 1e12


def _put_floor(work: Working, step: Step, batch: int) -> None:
    kind = "estimate" if step.experts and batch > 1 else "exact" if step.lookup else "floor"
    floor = step.floor_ms(batch)
    work.put("step_floor_ms", floor, "ms", f"least time of a decode step at batch {batch:,}", kind)
    work.put("weights_ms", step.weights_ms(batch), "ms", "reading weights", kind)
    work.put("kv_ms", step.kv_ms(batch), "ms", "reading KV cache", "floor")
    work.put("memory_ms", step.memory_ms(batch), "ms", "all reads", kind)
    if step.flops and step.peak:
        work.put(
            "compute_ms", step.compute_ms(batch), "ms", "arithmetic at the dense peak", "floor"
        )
    read = step.weights + step.expert * step.experts_read(batch)
    work.put("weights_read_GB", read / GB, "GB/GPU", "weights read per step by one GPU")
    work.put(
        "kv_read_GB", batch * step.kv_sequence / GB, "GB/GPU", "KV cache read per step by one GPU"
    )
    if step.experts:
        work.put(
            "experts_read",
            step.experts_read(batch),
            "experts/layer",
            "expected distinct experts",
            "estimate",
        )
    if step.lookup:
        strict, sure = step.strict_ms(batch), "estimate" if kind == "estimate" else "floor"
        work.put("strict_floor_ms", strict, "ms", "the same without the embedding table", sure)
    most = "ceiling" if kind == "floor" else kind
    work.put(
        "tokens_per_second_per_user",
        1e3 / floor,
        "tokens/s/user",
        "most that one user can get",
        most,
    )
    work.put(
        "tokens_per_second", batch * 1e3 / floor, "tokens/s", "most over the whole batch", most
    )


def _put_crossover(work: Working, step: Step, given: DecodeArguments) -> None:
    if not (step.flops and step.peak):
        return
    efficiency = given.compute_efficiency or 1.0
    batch = step.crossover(efficiency)
    if batch is None:
        work.assume(
            "no crossover: at this context a sequence's reads outweigh its arithmetic at any batch"
        )
        return
    kind = "estimate" if given.compute_efficiency or step.experts else "exact"
    at = f"at {plain(efficiency * 100)} % of the peak"
    work.put(
        "crossover_batch", batch, "sequences", f"batch at which arithmetic equals reads, {at}", kind
    )


def _put_measured(work: Working, step: Step, given: DecodeArguments) -> None:
    memory = step.memory_ms(given.batch)
    if given.bandwidth_efficiency is not None:
        compute = step.compute_ms(given.batch, given.compute_efficiency or 1.0)
        estimate = max(memory / given.bandwidth_efficiency, compute)
        at = f"at {plain(given.bandwidth_efficiency * 100)} % of the bandwidth"
        work.put("step_estimate_ms", estimate, "ms", f"estimated step {at}", "estimate")
    if given.compute_efficiency is not None and step.compute_ms(1):
        compute = step.compute_ms(given.batch, given.compute_efficiency)
        at = f"at {plain(given.compute_efficiency * 100)} % of the peak"
        work.put("compute_estimate_ms", compute, "ms", f"estimated arithmetic {at}", "estimate")
    if given.measured_ms is None:
        return
    if memory > given.measured_ms:
        raise ToolError(
            "measured_ms",
            given.measured_ms,
            f"is below the floor of {plain(memory)} ms (MBU over 1): check bytes and bandwidth",
        )
    work.put("mbu", memory / given.measured_ms, "fraction", "model bandwidth utilisation")
    work.put(
        "unexplained_ms",
        given.measured_ms - step.floor_ms(given.batch),
        "ms",
        "measured above the floor",
    )


def _formula(step: Step, given: DecodeArguments) -> str:
    weights = (step.weights + step.expert * step.experts_read(given.batch)) / GB
    kv = step.kv_sequence / GB
    rate = f"{plain(step.bandwidth / 1e12)} TB/s"
    reads = f"({plain(weights)} GB + {given.batch:,} x {plain(kv)} GB) / {rate}"
    text = f"{reads} = {plain(step.memory_ms(given.batch))} ms"
    if step.compute_ms(given.batch) > step.memory_ms(given.batch):
        text += f", below the arithmetic's {plain(step.compute_ms(given.batch))} ms"
    return text


def _rows(step: Step, batch: int) -> list[dict[str, float]]:
    return [
        {
            "batch": b,
            "weights_ms": step.weights_ms(b),
            "kv_ms": step.kv_ms(b),
            "compute_ms": step.compute_ms(b),
            "step_floor_ms": step.floor_ms(b),
            "tokens_per_second": b * 1e3 / step.floor_ms(b),
        }
        for b in sorted({1, 2, 4, 8, 16, 32, 64, 128, batch})
    ]
