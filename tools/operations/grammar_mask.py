"""`grammar_mask`: bytes of a vocabulary bitmask, and whether a step waits for it."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.working import Working, counted, plain


class MaskArguments(Arguments):
    """Arguments of grammar_mask."""

    vocab: int = Field(ge=1, le=10_000_000, description="Tokens of the vocabulary, padding too")
    batch: int = Field(default=1, ge=1, le=100_000, description="Constrained requests in the batch")
    check_ns: float = Field(
        default=80, ge=0, le=1e6, description="Time to try one token on the automaton, in ns"
    )
    undecided_share: float = Field(
        default=1,
        ge=0,
        le=1,
        description="Share of tokens that precompilation leaves to the step; 1: none precompiled",
    )
    threads: int = Field(default=1, ge=1, le=1024, description="Threads that fill masks")
    forward_ms: float = Field(ge=1e-3, le=1e5, description="Forward pass of a step, in ms")
    overlapped: bool = Field(
        default=True, description="Whether masks are filled while the forward pass runs"
    )
    link_gb_s: float | None = Field(
        default=None,
        ge=1e-3,
        le=1e5,
        description="Host to GPU in GB/s, one direction, for the copy",
    )


@tool(
    group="grammar",
    example={
        "vocab": 128256,
        "batch": 32,
        "undecided_share": 0.01,
        "forward_ms": 15,
        "link_gb_s": 50,
    },
    drawing=Drawing(
        kind="line",
        title="Filling masks against the batch; the forward pass hides so much",
        x="batch",
        x_label="constrained requests",
        y_label="ms",
        series=(
            Series("naive_ms", "every token"),
            Series("mask_ms", "precompiled"),
            Series("forward_ms", "forward pass"),
        ),
        log_x=True,
        log_y=True,
    ),
)
def grammar_mask(given: MaskArguments) -> Working:
    """Bitmask of a constrained step, ceil(V/32) x 4 bytes a request, and the delay it exposes.

    Filling takes tokens tried x time each, over the threads; beside the forward pass only what
    exceeds it delays the step, in the same thread all of it does.
    """
    size = ceil(given.vocab / 32) * 4
    work = Working(headline="mask_bytes", source="32-bit words, one bit a token (xgrammar, vLLM)")
    naive, mask = _fill_ms(given, 1.0), _fill_ms(given, given.undecided_share)
    exposed = max(0.0, mask - given.forward_ms) if given.overlapped else mask
    work.put("mask_bytes", size, "B/request", "bitmask of one request for one step")
    work.put("batch_bytes", size * given.batch, "B/step", "masks of the batch")
    each = given.vocab * given.check_ns / 1e6
    work.put("naive_request_ms", each, "ms", "trying every token for one request", "estimate")
    work.put("naive_ms", naive, "ms", "trying every token for the batch", "estimate")
    work.put("mask_ms", mask, "ms", "filling the batch's masks", "estimate")
    copy = size * given.batch / GB / given.link_gb_s * 1e3 if given.link_gb_s else 0.0
    if given.link_gb_s:
        work.put("copy_ms", copy, "ms", "copying them to the GPU", "floor")
    work.put("exposed_ms", exposed, "ms", "by which the step is late, without the copy", "estimate")
    step = given.forward_ms + exposed + copy
    work.put("step_ms", step, "ms", "step with masks and copy", "estimate")
    work.put("slowdown", step / given.forward_ms, "x", "over the forward pass", "estimate")
    work.formula = (
        f"ceil({given.vocab:,} / 32) x 4 = {size:,} B; {given.batch:,} x {given.vocab:,} x "
        f"{plain(given.undecided_share)} x {plain(given.check_ns)} ns / "
        f"{counted(given.threads, 'thread')} = {plain(mask)} ms"
    )
    work.assume(
        "requests' masks are independent and divide over the threads, one thread a request",
        "the mask of a step needs the token before it: overlap works on the step's own pass",
    )
    if exposed:
        work.warn(f"the step waits {plain(exposed)} ms for its masks")
    batches = sorted({1, 4, 16, 64, 256, given.batch})
    work.table = [_row(given.model_copy(update={"batch": batch})) for batch in batches]
    return work


def _fill_ms(given: MaskArguments, share: float) -> float:
    rounds = ceil(given.batch / given.threads)
    return rounds * given.vocab * share * given.check_ns / 1e6


def _row(given: MaskArguments) -> dict[str, float]:
    return {
        "batch": given.batch,
        "naive_ms": _fill_ms(given, 1.0),
        "mask_ms": _fill_ms(given, given.undecided_share),
        "forward_ms": given.forward_ms,
    }
