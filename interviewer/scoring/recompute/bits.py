"""Recomputes sizes where bits and bytes, precisions or powers of ten are changed. Knows no card."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import RESULT, StatedSum, is_step
from interviewer.scoring.recompute.surroundings import normalise

_AGAIN = re.compile(
    r"\s*,?\s*(?:or|i\.e\.|=|≈|so|that['’]s|which is|that is|it['’]s|makes it)"
    r"(?: so| about| around| roughly| just| only| um| uh)*\s*\Z",
    re.IGNORECASE,
)
_ONE_OF = re.compile(
    r"(?:[x×*·/÷+–−(^-]"
    r"|\b(?:times|over|by|plus|minus|per|of|at|with|each|the|every)(?: about)?)\s*\Z",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r"[ \t]*(?:[x×*·/÷+^]|(?:times|over|divided|plus|minus|left|more|less|free|for|in|each|per|a"
    r"|of|with|after)\b)",
    re.IGNORECASE,
)
_RESTATED = ("bytes", "bytes/time", "time")
_WRONG_STEPS = (10.0, 100.0, 1000.0, 1e6)
_CLOSE = 0.03
_LEAST_BARE = 1e6
_BITS = re.compile(r"\b(8|16|24|32|sixteen|eight|thirty two)[ -]?bits?\b", re.IGNORECASE)
_PRODUCT = re.compile(r"\s*(?:[x×*]|times)\s*\Z", re.IGNORECASE)
_IS = re.compile(rf"\s*,?\s*(?:so\s+)?{RESULT}\s*\Z", re.IGNORECASE)
_WIDTHS = {"fp32": 32, "float32": 32, "bf16": 16, "fp8": 8, "int8": 8, "int4": 4}
_WIDTH = re.compile(
    r"\b(bf16|fp8|int8|int4)\b|\b(?:fp|float) ?(?:32|thirty two)\b|\b(?:4|four) bytes\b"
)
_DIVIDES = re.compile(
    r"\b(fp8|int8|int4)\b(?: \w+){0,3}?,? (?:you |we )?(?:just |simply )?"
    r"(?:divides?|cuts?|shrinks?)(?: (?:that|it|this|the \w+))? by (?:a factor of )?\Z"
)
_BEFORE = 160


def restated_sizes(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every amount that is said again in another unit: "4e9 bytes, so 400 MB" is ten off."""
    for first, again in pairwise(quantities):
        if again.unit is None or again.dimension not in _RESTATED:
            continue
        bare = first.unit is None and again.dimension == "bytes" and first.value >= _LEAST_BARE
        if not bare and (first.dimension != again.dimension or first.unit == again.unit):
            continue
        if not _AGAIN.match(text[first.end : again.start]):
            continue
        if _FURTHER.match(text[again.end : again.end + 16]):
            continue
        taken = first.value == again.value and _in_bits(first) != _in_bits(again)
        one_of = _ONE_OF.search(text[max(0, first.start - 14) : first.start])
        if one_of and not (bare or taken):
            continue
        ratio = again.base / first.base
        fits = abs(ratio - 1) <= 0.1 or (bare and is_step(ratio, (8.0,), _CLOSE))
        steps = (10.0, 100.0) if bare else _WRONG_STEPS  # a bare number may be in thousands
        if fits or taken or is_step(ratio, steps, _CLOSE):
            yield StatedSum(again, first.base / again.unit.factor, first.text, fits)


def repeated_rates(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "400 Gbit/s, so 11 MB / 400 GB/s": one rate, first in bits and later in bytes."""
    rates = [said for said in quantities if said.unit and said.dimension == "bytes/time"]
    for first, again in combinations(rates, 2):
        taken = _in_bits(first) and first.value == again.value and first.base * 8 == again.base
        if taken and again.unit is not None:
            yield StatedSum(again, first.base / again.unit.factor, first.text, right=False)


def stated_samples(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every product with a width in bits whose result is called bytes: "16,000 x 16 = 256 kB/s"."""
    for first, width, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        kind = (said.dimension or "").split("/")[0]
        if kind != "bytes" or said.unit is None or width.unit is not None:
            continue
        if "bit" in said.unit.symbol or width.value not in (8, 16, 24, 32):
            continue
        if not _PRODUCT.match(text[first.end : width.start]) or not _IS.match(
            text[width.end : said.start]
        ):
            continue
        named = [
            match.group(1)
            for match in _BITS.finditer(text, max(0, first.start - _BEFORE), said.start)
        ]
        spoken = {"sixteen": "16", "eight": "8", "thirty two": "32"}
        if f"{width.value:g}" not in [spoken.get(name.lower(), name) for name in named]:
            continue
        product = first.value * width.value
        if abs(said.base / product - 1) <= 0.1:
            yield StatedSum(
                said,
                product / 8 / said.unit.factor,
                f"{first.text} x {width.text} bits",
                right=False,
            )


def stated_steps(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "int8 divides that by 8" where what was divided has been named: floats, 16 bits."""
    if not any(word in text for word in ("divide", "cut", "shrink")):
        return
    for by in quantities:
        if by.unit is not None and by.unit.symbol != "x":
            continue
        if not text[max(0, by.start - 4) : by.start].endswith(("by ", "of ")):
            continue
        before = normalise(text[max(0, by.start - _BEFORE) : by.start])
        divides = _DIVIDES.search(before)
        if divides is None:
            continue
        named = [match.group(1) or "fp32" for match in _WIDTH.finditer(before[: divides.start()])]
        if not named:
            continue
        right = _WIDTHS[named[-1]] / _WIDTHS[divides.group(1)]
        if right > 1:
            expression = f"from {_WIDTHS[named[-1]]} to {_WIDTHS[divides.group(1)]} bits the factor"
            yield StatedSum(by, right, expression, by.value == right)


def _in_bits(said: Quantity) -> bool:
    return said.unit is not None and "bit" in said.unit.symbol
