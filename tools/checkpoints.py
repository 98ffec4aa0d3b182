"""Models by name from data/models.json, or by a pasted config.json; an unclear name is an error."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tools.architecture import Architecture, derive
from tools.arguments import Arguments, shorten
from tools.config_json import MAX_BYTES, Config, parse, validate
from tools.parameters import UNKNOWN, Parameters, count
from tools.precision import BYTES, HF_DTYPES, Dtype
from tools.result import ToolError
from tools.working import Working

VARIANTS = ("instruct", "it", "base", "chat", "bf16", "hf")
"""Suffixes of a name that change neither parameters nor cache."""

SUBSETS: Mapping[str, str] = {
    "fp8": "layers at 1 B, embedding and lm_head at 2 B; norms and scales not told apart",
    "mxfp4": "routed experts' matrices at 4.25 bits (block of 32 with one scale), all else at 2 B",
}


class Entry(BaseModel):
    """One model of the data file."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    source: str
    note: str = ""
    unverified_fields: tuple[str, ...]
    config: dict[str, Any]


@dataclass(frozen=True)
class Model:
    """A model that a tool works on, and where its fields come from."""

    name: str
    config: Config
    architecture: Architecture
    source: str
    said: tuple[str, ...] = ()
    """Assumptions: how the name was read."""
    doubts: tuple[str, ...] = ()
    """Warnings: fields that no config.json confirmed."""

    @cached_property
    def parameters(self) -> Parameters:
        """Counts; ToolError where only the cache of this family is known."""
        return count(self.config, self.architecture)

    @property
    def countable(self) -> bool:
        """Whether the parameters of this family can be counted."""
        return self.config.model_type not in UNKNOWN

    @property
    def stored_dtype(self) -> str:
        """How the checkpoint stores its weights: the quantisation's name, else the dtype."""
        quantised = self.config.quantization_config
        if quantised:
            return quantised.quant_method
        stated = self.config.torch_dtype or self.config.dtype
        return HF_DTYPES.get(stated or "bfloat16", "bf16")

    def weight_bytes(self, dtype: Dtype | None) -> tuple[float, str]:
        """Bytes of all weights and how they were reckoned; None: as the checkpoint stores them."""
        sizes = self.parameters
        if dtype:
            return sizes.total * BYTES[dtype], f"every parameter at {dtype} ({BYTES[dtype]:g} B)"
        stored = self.stored_dtype
        if stored in BYTES and not self.config.quantization_config:
            return sizes.total * BYTES[
                stored
            ], f"every parameter at {stored} ({BYTES[stored]:g} B), as stored"
        if stored == "fp8":
            wide = sizes.embedding + sizes.head
            return float(sizes.total - wide + 2 * wide), f"stored as fp8: {SUBSETS['fp8']}"
        if stored == "mxfp4":
            packed = sizes.routed - sizes.expert_vectors
            return packed * 4.25 / 8 + 2.0 * (
                sizes.total - packed
            ), f"stored as mxfp4: {SUBSETS['mxfp4']}"
        raise ToolError(
            "weight_dtype", None, f"state it: how {stored} stores which weights is not known here"
        )

    def tell(self, working: Working) -> None:
        """Say in a result what rests on this model's fields."""
        working.assume(*self.said)
        working.warn(*self.doubts)


def _as_text(schema: dict[str, Any]) -> None:
    """A model writes config.json as a string, although an object is taken as well."""
    del schema["anyOf"]
    schema.update(type="string", maxLength=MAX_BYTES)


class ModelArguments(Arguments):
    """The two ways to name a model."""

    model: str | None = Field(
        default=None,
        max_length=120,
        description="Model by its Hugging Face name or a clear short name, e.g. Llama-3.3-70B",
    )
    config: str | dict[str, Any] | None = Field(
        default=None,
        description="Instead of model: the text of the model's config.json (at most 64 KiB)",
        json_schema_extra=_as_text,
    )

    @property
    def names_model(self) -> bool:
        """Whether a model was given at all."""
        return self.model is not None or self.config is not None

    def chosen(self) -> Model:
        """The model named; ToolError where it is missing, unknown, not clear, or named twice."""
        if self.model is not None and self.config is not None:
            raise ToolError("config", "…", "give either model or config, not both")
        if self.config is not None:
            config = parse(self.config)
            return Model(
                f"pasted {config.model_type}", config, derive(config), "the config.json as pasted"
            )
        if self.model is None:
            raise ToolError(
                "model", None, "is required: a model's name, or its config.json as config"
            )
        return find_model(self.model)


@cache
def entries() -> Mapping[str, Entry]:
    """The data file, validated."""
    text = files("tools.data").joinpath("models.json").read_text("utf-8")
    return {name: Entry.model_validate(entry) for name, entry in json.loads(text)["models"].items()}


@lru_cache(maxsize=512)
def find_model(name: str) -> Model:
    """The model that `name` means; ToolError with close names where that is not clear."""
    full = _resolve(name)
    found = _load(full)
    if _tokens(name) == _tokens(full):
        return found
    return Model(
        found.name,
        found.config,
        found.architecture,
        found.source,
        (f"{shorten(name)} read as {full}",),
        found.doubts,
    )


@cache
def _load(full: str) -> Model:
    entry = entries()[full]
    config = validate(entry.config)
    doubts = tuple(f"unverified for {full}: {what}" for what in entry.unverified_fields)
    return Model(full, config, derive(config), entry.source, (), doubts)


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[-_/\s]+", name.lower()) if part)


def _plain(tokens: tuple[str, ...]) -> tuple[str, ...]:
    while tokens and tokens[-1] in VARIANTS:
        tokens = tokens[:-1]
    return tokens


def _resolve(name: str) -> str:
    asked = _tokens(name)
    short = {full: _tokens(full.partition("/")[2]) for full in entries()}
    exact = [full for full, tokens in short.items() if asked in (tokens, _tokens(full))]
    bare = _plain(asked)
    same = [f for f, t in short.items() if bare and bare in (_plain(t), _plain(_tokens(f)))]
    longer = [f for f, t in short.items() if bare and t[: len(bare)] == bare]
    for candidates in (exact, same, longer):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise ToolError(
                "model", shorten(name), f"is not clear; one of: {', '.join(candidates)}"
            )
    raise ToolError(
        "model",
        shorten(name),
        f"unknown; {_suggest(asked, short)} or paste its config.json as config",
    )


def _suggest(asked: tuple[str, ...], short: Mapping[str, tuple[str, ...]]) -> str:
    by_text = {"-".join(tokens): full for full, tokens in short.items()}
    close = get_close_matches("-".join(asked)[:120], by_text, n=4, cutoff=0.4)
    return (
        f"close names: {', '.join(by_text[text] for text in close)};"
        if close
        else "no name is close;"
    )
