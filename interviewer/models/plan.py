"""How to start vLLM for so many people on such GPUs, with the arithmetic behind each flag.

The arithmetic is the catalogue's tools'; this module starts nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from interviewer.models.families import family_of
from tools.catalog import CATALOG
from tools.result import Result, ToolError

LONGEST_STEP_MS = 250.0
"""Four tokens a second, what a person reads; a step with somebody's prefill shall not be longer."""
EFFICIENCY = 0.5
"""Share of the dense peak that a prefill reaches; an assumption, said where it is used."""
PREFIX_TOKENS = 2_500
"""Rules, tools and card of a round: what all of its turns, and all rounds on its card, share."""
JUDGING = 0.25
"""Rounds being scored for each one being played: a scoring takes about a quarter of a minute."""
JUDGED_TOKENS = 6_656
"""A judge's request about a round of four answers, and its reply (docs/models.md)."""
BATCHED = (16_384, 8_192, 4_096, 2_048, 1_024, 512)
GPUS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the operator has and wants. Without `gpu` nothing is sized."""

    model: str
    config: str | None = None
    """The model's config.json, where the tools do not know its name."""
    gpu: str | None = None
    gpus: int = 1
    users: int = 8
    context: int = 8_192
    weights: str | None = None
    """None: as the checkpoint stores them."""
    kv: str = "bf16"
    utilization: float = 0.92
    reserve_gb: float = 6.0
    """Of each GPU, for activations, CUDA graphs and communication buffers."""
    name: str | None = None
    tool_parser: str | None = None
    reasoning_parser: str | None = None
    chat_template: str | None = None
    host: str = "127.0.0.1"
    port: int = 8_001


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag of `vllm serve`, and why it has this value."""

    name: str
    value: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change of the wish, and how many people then fit."""

    change: str
    sequences: int
    fits: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A command with its reasons. `sequences` is None where nothing was sized."""

    wish: Wish
    flags: tuple[Flag, ...]
    sequences: int | None = None
    expected: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether everybody's whole context fits at once, as far as it was sized."""
        return self.sequences is None or self.sequences >= self.wish.users

    def arguments(self) -> list[str]:
        """The flags of `vllm serve`, without the model."""
        pairs = ((flag.name, flag.value) for flag in self.flags)
        return [text for pair in pairs for text in pair if text is not None]


def make_plan(wish: Wish) -> Plan:
    """Size and explain. Raises ToolError where model or GPU is not known, or a value is bad."""
    family = family_of(wish.model)
    notes: tuple[str, ...] = ()
    if family.template and not wish.chat_template:
        said = "of vLLM's repository is better at tool calls than the model's own template"
        notes = (f"--chat-template {family.template} {said}",)
    if wish.gpu is None:
        length = Flag("--max-model-len", str(wish.context), "prompt and reply of a round")
        return Plan(wish, (*_served(wish), length, *_policy(wish)), notes=notes)
    memory = _memory(wish)
    sequences = _sequences(memory)
    flags = (*_served(wish), *_sized(wish, memory, sequences), *_policy(wish))
    fits = sequences >= wish.users
    return Plan(
        wish,
        flags,
        sequences,
        expected=tuple(_expected(wish)) if sequences else (),
        remedies=() if fits else tuple(_remedies(wish)),
        notes=notes,
    )


def _which(wish: Wish) -> dict[str, object]:
    return {"config": wish.config} if wish.config else {"model": wish.model}


def _stored(wish: Wish) -> dict[str, object]:
    return {**_which(wish), **({"weight_dtype": wish.weights} if wish.weights else {})}


def _memory(wish: Wish) -> Result:
    given: dict[str, object] = {
        "gpu": wish.gpu,
        "gpus": wish.gpus,
        **_stored(wish),
        "context": wish.context,
        "kv_dtype": wish.kv,
        "utilization": wish.utilization,
        "reserve_gb": wish.reserve_gb,
    }
    try:
        # vLLM takes its fraction of what the driver reports, not of the number on the box.
        return CATALOG["memory_budget"].call({**given, "memory_basis": "nvidia-smi"})
    except ToolError as error:
        if error.field != "memory_basis":
            raise
        return CATALOG["memory_budget"].call(given)


def _sequences(memory: Result) -> int:
    """Whole contexts that fit at once, in whole blocks where those are known."""
    for key in ("sequences_in_blocks", "whole_sequences"):
        if key in memory.measures:
            return max(0, int(memory.measures[key].value))
    return 0


def _served(wish: Wish) -> Iterator[Flag]:
    if wish.name:
        yield Flag("--served-model-name", wish.name, "what VIVA_LLM_MODEL is set to")
    yield Flag("--host", wish.host, "where Viva reaches it")
    yield Flag("--port", str(wish.port), "Viva itself listens on 8000")


def _sized(wish: Wish, memory: Result, sequences: int) -> Iterator[Flag]:
    found = memory.measures
    each = "weights_GB_per_gpu"
    yield Flag(
        "--tensor-parallel-size",
        str(wish.gpus),
        f"{found['weights_GB'].value:.4g} GB of weights / {wish.gpus} = "
        f"{found[each].value:.4g} GB on each {wish.gpu}",
    )
    if wish.weights in ("fp8", "int8"):
        why = "half the bytes of bf16 to hold and to read; leave out if the checkpoint is quantised"
        yield Flag("--quantization", wish.weights, why)
    per_token = found.get("bytes_per_token_per_gpu")
    yield Flag(
        "--kv-cache-dtype",
        {"bf16": "auto", "fp16": "auto"}.get(wish.kv, wish.kv),
        f"{wish.kv}: {per_token.value:,.0f} B per token and GPU" if per_token else wish.kv,
    )
    yield Flag(
        "--gpu-memory-utilization",
        f"{wish.utilization:g}",
        f"{memory.formula} left for the cache",
    )
    yield from _lengths(wish, memory, sequences)
    yield _batched(wish)


def _lengths(wish: Wish, memory: Result, sequences: int) -> Iterator[Flag]:
    size = memory.measures.get("sequence_GB_per_gpu")
    one = f"{size.value:.4g} GB per sequence and GPU; " if size else ""
    yield Flag(
        "--max-model-len",
        str(wish.context),
        f"{one}{memory.measures['kv_GB_per_gpu'].value:.4g} GB hold {sequences} of them",
    )
    scoring = ceil(wish.users * JUDGING)
    yield Flag(
        "--max-num-seqs",
        str(wish.users + scoring),
        f"{wish.users} people + {scoring} being scored ({JUDGING:g} each); more wait, by "
        f"priority. Should {sequences} grow to their full length, vLLM recomputes the others",
    )


def _batched(wish: Wish) -> Flag:
    """The largest step that does not hold up those who are reading a reply."""
    decode = _decode(wish).measures["step_floor_ms"].value
    for tokens in BATCHED:
        prefill = _prefill(wish, tokens)
        step = prefill + decode
        if step <= LONGEST_STEP_MS or tokens == BATCHED[-1]:
            break
    return Flag(
        "--max-num-batched-tokens",
        str(max(tokens, wish.users)),
        f"a step with {tokens:,} prompt tokens takes {prefill:.3g} ms (at {EFFICIENCY:.0%} of "
        f"the peak) + {decode:.3g} ms of decoding = {step:.3g} ms; the others wait for it, "
        f"{LONGEST_STEP_MS:g} ms at most",
    )


def _prefill(wish: Wish, tokens: int, cached: int = 0) -> float:
    given: dict[str, object] = {
        "tokens": tokens,
        "cached_tokens": cached,
        **_stored(wish),
        "gpu": wish.gpu,
        "gpus": wish.gpus,
        "compute_efficiency": EFFICIENCY,
    }
    return CATALOG["prefill_roofline"].call(given).measures["ttft_estimate_ms"].value


def _decode(wish: Wish) -> Result:
    given: dict[str, object] = {
        **_stored(wish),
        "gpu": wish.gpu,
        "gpus": wish.gpus,
        "batch": wish.users,
        "context": wish.context // 2,
        "kv_dtype": wish.kv,
    }
    return CATALOG["decode_roofline"].call(given)


def _policy(wish: Wish) -> Iterator[Flag]:
    family = family_of(wish.model)
    yield Flag(
        "--enable-prefix-caching",
        None,
        f"a round's rules, tools and card (about {PREFIX_TOKENS:,} tokens) are computed once",
    )
    yield Flag("--enable-prompt-tokens-details", None, "else nobody sees how much was cached")
    yield Flag("--scheduling-policy", "priority", "live turns (0) go before scoring (10)")
    yield Flag(
        "--structured-outputs-config",
        '{"backend": "xgrammar", "disable_any_whitespace": true}',
        "JSON without free white space, in which small models run on to the token bound",
    )
    parser = wish.tool_parser or family.tool_parser
    if parser:
        yield Flag("--enable-auto-tool-choice", None, "the model may compute what it states")
        yield Flag("--tool-call-parser", parser, "the format in which this model calls tools")
        why = "arguments are held to their schema; without it they may be anything"
        yield Flag("--tool-strict-level", "parameter", why)
    reasoning = wish.reasoning_parser or family.reasoning_parser
    if reasoning:
        yield Flag("--reasoning-parser", reasoning, "keeps the model's thinking out of its words")
    if wish.chat_template:
        yield Flag("--chat-template", wish.chat_template, "as asked for")


def _expected(wish: Wish) -> Iterator[str]:
    step = _decode(wish).measures
    yield (
        f"decoding, {wish.users} people at {wish.context // 2:,} tokens: a step takes "
        f"{step['step_floor_ms'].value:.3g} ms at least, "
        f"{step['tokens_per_second_per_user'].value:.3g} tokens/s for each"
    )
    whole = _prefill(wish, PREFIX_TOKENS + 250)
    cached = _prefill(wish, 250, PREFIX_TOKENS)
    yield (
        f"first token of a turn, prefix cached: {cached:.3g} ms of arithmetic, "
        f"{whole:.3g} ms without the cache (at {EFFICIENCY:.0%} of the peak)"
    )
    cache = CATALOG["kv_cache"].call({**_which(wish), "tokens": PREFIX_TOKENS, "kv_dtype": wish.kv})
    yield (
        f"one cached prefix: {cache.measures['sequence_GB'].value:.3g} GB of cache, "
        "shared by all rounds on its card"
    )


def _remedies(wish: Wish) -> Iterator[Remedy]:
    """Each change alone, then both savings together; last what the wish must come down to."""
    less = [("--weights fp8", replace(wish, weights="fp8"))] if wish.weights != "fp8" else []
    if wish.kv != "fp8":
        less.append(("--kv fp8", replace(wish, kv="fp8")))
    if len(less) == 2:
        less.append(("--weights fp8 --kv fp8", replace(wish, weights="fp8", kv="fp8")))
    more = [n for n in GPUS if n > wish.gpus]
    less += [(f"--gpus {n}", replace(wish, gpus=n)) for n in more]
    for change, other in less:
        try:
            held = _sequences(_memory(other))
        except ToolError:
            continue
        yield Remedy(change, held, held >= wish.users)
        if change.startswith("--gpus") and held >= wish.users:
            break
    yield from _smaller(wish)


def _smaller(wish: Wish) -> Iterator[Remedy]:
    memory = _memory(wish)
    held = _sequences(memory)
    if held:
        yield Remedy(f"--users {held}", held, True, "the rest waits its turn, by priority")
    tokens = memory.measures.get("kv_tokens")
    shorter = int(tokens.value / wish.users) // 256 * 256 if tokens else 0
    if shorter >= JUDGED_TOKENS:
        note = f"a round of four answers and its scoring take {JUDGED_TOKENS:,}"
        yield Remedy(f"--context {shorter}", wish.users, True, note)
