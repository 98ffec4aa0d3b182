"""`media_tokens`: tokens and embedding bytes of images and audio in a prompt."""

from math import ceil
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import BYTES, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class MediaArguments(Arguments):
    """Arguments of media_tokens."""

    width: int | None = Field(default=None, ge=1, le=100_000, description="Image width in pixels")
    height: int | None = Field(default=None, ge=1, le=100_000, description="Image height in pixels")
    images: int = Field(default=1, ge=1, le=100_000, description="Images of that size")
    patch: int = Field(default=14, ge=1, le=512, description="Pixels of a patch's side")
    merge: int = Field(
        default=2, ge=1, le=16, description="Patches per side that are merged into one token"
    )
    fit: Literal["nearest", "up"] = Field(
        default="nearest", description="How a side becomes whole tokens: rounded, or padded up"
    )
    extra: int = Field(
        default=0, ge=0, le=10_000, description="Marker tokens per image: start, end, separators"
    )
    audio_s: float = Field(default=0, ge=0, le=1e6, description="Audio in s")
    audio_tokens_per_s: float | None = Field(
        default=None,
        ge=0.01,
        le=1000,
        description="Tokens per second of audio, by the model's card",
    )
    hidden: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Width of an embedding, for its bytes"
    )
    dtype: Dtype = Field(default="bf16", description="Format of the embeddings")


@tool(
    group="multimodal_voice",
    example={"width": 1024, "height": 1024, "images": 4, "extra": 2, "hidden": 8192},
    drawing=Drawing(
        kind="line",
        title="Tokens of a square image against its side",
        x="side",
        x_label="pixels of the side",
        y_label="tokens",
        series=(Series("tokens", "tokens"),),
    ),
)
def media_tokens(given: MediaArguments) -> Working:
    """Tokens that images and audio take in the prompt, and the bytes of their embeddings.

    Image: (width / (patch x merge)) x (height / (patch x merge)) + markers, sides made whole first.
    Audio: seconds x the model's rate. Each model has its own rule: state patch, merge and rate.
    """
    if (given.width is None) != (given.height is None):
        missing = "height" if given.height is None else "width"
        raise ToolError(missing, None, "is needed too: an image has both sides")
    if given.audio_s and given.audio_tokens_per_s is None:
        raise ToolError("audio_tokens_per_s", None, "is needed for audio: it differs by model")
    if given.width is None and not given.audio_s:
        raise ToolError("width", None, "give an image's sides or audio_s")
    work = Working(headline="tokens", source="patch grid after merging, as Qwen2-VL does")
    image = _image(given, given.width, given.height) if given.width and given.height else 0
    sound = ceil(given.audio_s * (given.audio_tokens_per_s or 0) - 1e-9)
    tokens = given.images * image + sound if image else sound
    work.put("tokens", tokens, "tokens", "in the prompt", "count")
    if image:
        work.put("image_tokens", image, "tokens/image", "of one image, markers included", "count")
        patches = (image - given.extra) * given.merge**2
        work.put("patches", patches, "patches/image", "that the encoder works on", "count")
    if sound:
        work.put("audio_tokens", sound, "tokens", "of the audio", "count")
    if given.hidden is not None:
        size = tokens * given.hidden * BYTES[given.dtype]
        work.put("embedding_MB", size / 1e6, "MB", "embeddings (MB is 1e6 bytes)")
    work.formula = _formula(given, image, sound, tokens)
    work.assume("no limit on pixels: a processor that scales large images down gives fewer")
    sides = sorted({224, 448, 896, 1024, 1792, *([given.width] if given.width else [])})
    work.table = [{"side": side, "tokens": _image(given, side, side)} for side in sides]
    return work


def _image(given: MediaArguments, width: int, height: int) -> int:
    cell = given.patch * given.merge
    sides = (
        max(1, round(side / cell) if given.fit == "nearest" else ceil(side / cell))
        for side in (width, height)
    )
    across, down = sides
    return across * down + given.extra


def _formula(given: MediaArguments, image: int, sound: int, tokens: int) -> str:
    parts = []
    if image:
        cell = given.patch * given.merge
        parts.append(
            f"{given.images:,} x ({given.width}/{cell} x {given.height}/{cell} + {given.extra})"
        )
    if sound:
        parts.append(f"{plain(given.audio_s)} s x {plain(given.audio_tokens_per_s or 0)}/s")
    return f"{' + '.join(parts)} = {tokens:,} tokens"
