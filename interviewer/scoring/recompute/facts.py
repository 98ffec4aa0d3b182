"""Which fact of a card a stated number means, and whether it is right or off by a known slip.

Careful: a number is off only where its words mean the fact; another set-up is left alone.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log2

from interviewer.grounding.entries import fits
from interviewer.grounding.facts import ComputedFact
from interviewer.quantities import Quantity, Unit
from interviewer.scoring.recompute.surroundings import Surroundings, conflicts, normalise, setups

_SLIP_TOLERANCE = 0.04
_COARSEST, _SLIP_ROUNDING = 0.1, 0.05
"""The most, relative, that rounding explains of a fact and of a slip."""
_EXACT_TOLERANCE = 0.006
_EMPTY = frozenset(
    [
        "that", "this", "these", "those", "with", "without", "from", "into", "over", "while",
        "when", "what", "which", "where", "should", "would", "could", "most", "more", "less",
        "each", "every", "only", "both", "than", "then", "them", "they", "have", "been", "does",
        "after", "before", "because",
    ]
)  # fmt: skip
"""Words of a label that tell nothing about what a number means."""
_CLOSER = 0.003
"""Three figures that fit a fact by this much better than a slip of another are that fact's."""
_SURE_TOKENS = 1.9
_SMALL_COUNT = 10
_EIGHT = 8.0
_POINT = "the decimal point is in the wrong place"
_BITS = "bits were taken for bytes, or the reverse"
_BINARY = "GB (powers of ten) and GiB (powers of two) were mixed"
_TIMES_EIGHT = "eight times the right value"
_DECIMAL_SIZES = {"KB": 1, "MB": 2, "GB": 3, "TB": 4}
# Slips of any fact of a dimension, beside those that the card lists.
_GENERIC = (
    ("bytes", 8.0, _BITS, _SLIP_TOLERANCE),
    ("bytes", 0.125, _BITS, _SLIP_TOLERANCE),
    ("", _EIGHT, _TIMES_EIGHT, _SLIP_TOLERANCE),
    *(("bytes", 1.024**power, _BINARY, _EXACT_TOLERANCE) for power in (3, 4, -3, -4)),
    *(
        (kind, factor, "off by a factor of a thousand", _SLIP_TOLERANCE)
        for kind in ("bytes", "time", "flop")
        for factor in (1000.0, 0.001)
    ),
    ("flop/time", 2.0, "the peak with sparsity was taken for the dense one", _EXACT_TOLERANCE),
    *(
        (kind, factor, _POINT, _EXACT_TOLERANCE)
        for kind in ("bytes", "time", "flop")
        for factor in (10.0, 0.1, 100.0, 0.01)
    ),
)
_WRONG_UNIT = (1000.0, 0.001)
_MOVED_POINT = (10.0, 0.1, 100.0, 0.01)
# Words of a goal or of another case: the number is chosen, not computed.
_CHOSEN = (
    " if ", " target", " limit", " promise", " slo ", " sla ", " goal", " budget of",
    " instead of ", " say ", " cap ", " max num", " below ", " under ", " above ", " unless ",
    " suppose", " less than ", " more than ",
)  # fmt: skip
_NEEDED = (" needs ", " need ")
"""Before a number; after it something else is needed."""
_TAKEN_BACK = (" no wait ", " wait no ", " sorry ", " scratch that ", " correction ", " i mean ")
# Words that set another case beside the fact's.
_OTHER_CASE = (
    " without ", " would be ", " would take ", " mha ", " multi head", " replicas ", " gpus ",
    " as much ", " second gpu ", " sparse ", " sparsity ", " another ", " compared ", " versus ",
    " old ", " other model", " all of ", " of which ",
)  # fmt: skip
_TWO_CASES = (
    " twice ", " double ", " doubles ", " doubled ", " half ", " halves ", " halved ",
    " write and read ", " read and write ", " written and read ", " both ways ",
)  # fmt: skip
_POWERS_OF_TWO = (0.0625, 0.125, 0.25, 0.5, 2.0, 4.0, 8.0, 16.0)

_NO_HALF = re.compile(r" and a half | half (?:of )?(?:the )?(?:\w+ ){0,2}(?:peak|rate|tflops) ")
"""'two and a half', and how much of a peak is reached: no other case."""


@dataclass(frozen=True)
class KnownFact:
    """A fact with the words that show it is meant."""

    computed: ComputedFact
    alone: bool
    """True if no other fact that counts as much measures the same thing."""

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The card's words for the number, each between spaces."""
        return tuple(f" {_normalised(term)} " for term in self.computed.fact.terms)

    @cached_property
    def setups(self) -> frozenset[str]:
        """The precisions, GPUs and lengths that the fact is about."""
        fact = self.computed.fact
        named = setups(_normalised(" ".join((fact.label, *fact.terms))))
        return named or setups(_normalised(" ".join(map(str, fact.arguments.values()))))

    @cached_property
    def slips(self) -> tuple[tuple[float, str, float], ...]:
        """Of a measured number: factor, reason, tolerance. A bare one has only the card's."""
        own = [(slip.factor, slip.reason, _SLIP_TOLERANCE) for slip in self.computed.fact.slips]
        unit = self.computed.unit
        if unit is None or not self.computed.fact.key:
            return tuple(own)
        kind = unit.dimension
        return (*own, *(slip[1:] for slip in _GENERIC if kind.startswith(slip[0])))

    @cached_property
    def bare_slips(self) -> tuple[tuple[float, str, float], ...]:
        """Of a number without a unit: the card's own, and eight times a count.

        A bare "8.4" is never somebody's "65x", and has no bits that were taken for bytes.
        """
        own, unit = self.slips[: len(self.computed.fact.slips)], self.computed.unit
        if unit is not None and unit.dimension == "ratio":
            own = ()
        elif unit is not None and unit.dimension not in ("count", "tokens"):
            own = tuple(slip for slip in own if slip[0] not in (_EIGHT, 1 / _EIGHT))
        counts = unit is not None and unit.dimension == "count" and self.computed.fact.key
        return (*own, (_EIGHT, _TIMES_EIGHT, _EXACT_TOLERANCE)) if counts else own

    @cached_property
    def conditional(self) -> bool:
        """True for a fact of one variant only: 'users with an FP8 cache'."""
        return bool(self.terms) and all(setups(term) for term in self.terms)

    @cached_property
    def label(self) -> frozenset[str]:
        """The longer words of the fact's label, each between spaces."""
        words = _normalised(self.computed.fact.label).split()
        return frozenset(f" {word} " for word in words if len(word) > 3 and word not in _EMPTY)

    def meant(self, said: Quantity, near: str) -> float:
        """How clearly the words near a number mean this fact: 1 for each term that is there."""
        own = f" {_normalised(said.text)} {said.unit.symbol.lower()}s " if said.unit else ""
        terms = sum(1.0 if term in near else 0.5 * (term in own) for term in self.terms)
        alone = 0.5 * (self.alone and said.unit is not None)
        return terms + alone + 0.25 * sum(1 for word in self.label if word in near)


_normalised = lru_cache(maxsize=4096)(normalise)


_PREPARED_CARDS = 256
_prepared: dict[int, tuple[Sequence[ComputedFact], "KnownFacts"]] = {}


class KnownFacts:
    """A card's facts, and which of them a number may state."""

    def __init__(self, facts: Sequence[KnownFact]) -> None:
        self._facts = facts
        self._windows = lru_cache(maxsize=256)(self._windows_of)

    def near(self, said: Quantity, *, exact: bool) -> list[KnownFact]:
        """The facts whose value, or a slip of it, a number comes near: by its unit, and for a bare
        number by whether it has three figures (`exact`).
        """
        return self._windows(said.unit, exact).around(said.base if said.unit else said.value)

    def _windows_of(self, unit: Unit | None, exact: bool) -> "_Windows":
        facts = [fact for fact in self._facts if _may_state(unit, exact, fact.computed.unit)]
        spans = sorted(
            (low, high, at)
            for at, fact in enumerate(facts)
            for low, high in _spans(fact, measured=unit is not None)
        )
        widest = max((high / low for low, high, _ in spans), default=1.0)
        return _Windows(tuple(facts), tuple(spans), tuple(low for low, _, _ in spans), widest)


@dataclass(frozen=True, slots=True)
class _Windows:
    """Where numbers of a unit may state which facts."""

    facts: tuple[KnownFact, ...]
    spans: tuple[tuple[float, float, int], ...]
    """From, to, and which fact, in order."""
    lows: tuple[float, ...]
    widest: float

    def around(self, value: float) -> list[KnownFact]:
        first, last = bisect_left(self.lows, value / self.widest), bisect_right(self.lows, value)
        hits = {at for _, high, at in self.spans[first:last] if high >= value}
        return [self.facts[at] for at in sorted(hits)]


def _spans(known: KnownFact, *, measured: bool) -> Iterator[tuple[float, float]]:
    """What is near a fact's value or a slip of it, at the coarsest rounding and unit."""
    right = known.computed.base if measured else known.computed.value
    slips = known.slips if measured else known.bare_slips
    if right > 0:
        reach = max(known.computed.fact.tolerance, _COARSEST)
        yield right * (1 - min(reach, 0.9)) / 1.1, right * (1 + reach)
        for factor, _, tolerance in slips:
            reach = max(tolerance, _SLIP_ROUNDING)
            yield right * factor * (1 - reach), right * factor * (1 + reach)


@dataclass(frozen=True, slots=True)
class FactMatch:
    """A fact that a number may state: `distance` is how far off it is, relative."""

    known: KnownFact
    verdict: str
    meant: float
    distance: float
    reason: str = ""
    factor: float = 1.0
    """Of a slip: stated over right; else 1."""
    bare: bool = False
    """Whether the number was said without a unit."""
    listed: bool = False
    """Whether the card lists the slip: then it is likelier than one of any fact."""

    @property
    def sure(self) -> bool:
        """True if the words leave little doubt; things are counted in every other sentence."""
        unit = self.known.computed.unit
        often = self.bare or (unit is not None and unit.dimension == "count")
        tokens = unit is not None and unit.dimension == "tokens"
        return self.meant >= (_SURE_TOKENS if tokens or (often and self.factor != _EIGHT) else 1.0)

    @property
    def rank(self) -> tuple[bool, bool, float, bool, float]:
        """Larger is likelier."""
        fact = self.known.computed.fact
        return self.meant >= 1, self.listed, self.meant, fact.key, -self.distance


def known_facts(facts: Sequence[ComputedFact]) -> KnownFacts:
    """The facts with their words, made once: a card's computed facts are one object.

    The figures of the model answer's own story are none: everybody's story has its own.
    """
    kept = _prepared.get(id(facts))
    if kept is not None and kept[0] is facts:
        return kept[1]
    held = [fact for fact in facts if not fact.fact.story]
    kinds = Counter((fact.fact.key, fact.unit.dimension) for fact in held if fact.unit)
    known = KnownFacts([KnownFact(fact, _is_alone(fact, kinds)) for fact in held])
    if len(_prepared) >= _PREPARED_CARDS:
        _prepared.clear()
    _prepared[id(facts)] = facts, known
    return known


def _is_alone(fact: ComputedFact, kinds: Counter[tuple[bool, str]]) -> bool:
    if fact.unit is None or fact.unit.dimension in ("count", "ratio", "tokens"):
        return False
    others = 0 if fact.fact.key else kinds[True, fact.unit.dimension]
    return kinds[fact.fact.key, fact.unit.dimension] + others == 1


def best_match(said: Quantity, around: Surroundings, facts: KnownFacts) -> FactMatch | None:
    """The fact that a number most clearly states, with the verdict; None where none is meant."""
    figures = _figures(said)
    matches = [
        match
        for known in facts.near(said, exact=figures >= 3)
        for match in _compare(said, around, known)
        if not conflicts(around.setups, known.setups)
    ]
    if not matches:
        return None
    right = [match for match in matches if match.verdict == "right"]
    off = [match for match in matches if match.verdict != "right" and match.sure]
    best = max(right or off, key=lambda match: match.rank, default=None)
    if best is not None and right and off and best.meant < 1:
        # right for a fact that nothing here speaks of, off for one that is spoken of
        slip = max(off, key=lambda match: match.rank)
        return best if figures >= 3 and best.distance + _CLOSER < slip.distance else slip
    return best


def _may_state(said: Unit | None, exact: bool, known: Unit | None) -> bool:
    if said is None:
        # "forty" may be users or a share, but not 39 tokens a second; "54.7" may be anything
        return exact or fits(None, known)
    if known is None or not fits(said, known):
        return False
    # a share is no ratio, and users are no replicas
    return not {"ratio", "count"} & {said.dimension, known.dimension} or said.symbol == known.symbol


def _compare(said: Quantity, around: Surroundings, known: KnownFact) -> Iterator[FactMatch]:
    """How a number relates to a fact: right, a slip, or not at all."""
    fact, computed = known.computed.fact, known.computed
    value, right = (said.value, computed.value) if said.unit is None else (said.base, computed.base)
    if right <= 0 or value <= 0:
        return
    ratio, rounding = value / right, min(_COARSEST, said.precision / said.value)
    distance = abs(ratio - 1)
    if around.spoken and said.unit is not None:
        distance = min(distance, abs(_as_binary(ratio, said.unit) - 1))
    if distance <= max(fact.tolerance, rounding):
        meant = known.meant(said, around.near)
        if _is_right(said, known, meant, distance, rounding):
            yield FactMatch(known, "right", meant, distance)
        return
    slips = known.slips if said.unit is not None else known.bare_slips
    for factor, reason, tolerance in slips:
        rounded = min(rounding, _SLIP_ROUNDING) if tolerance > 0.01 else 0
        if abs(ratio / factor - 1) <= max(tolerance, rounded):
            meant = known.meant(said, around.near)
            if _is_slip(said, around, known, factor, meant) and not _about_factor(
                around, known, factor
            ):
                off = abs(ratio / factor - 1)
                listed = any(slip.factor == factor for slip in fact.slips)
                bare = said.unit is None
                yield FactMatch(known, "slip", meant, off, reason, factor, bare, listed)
            return


def _as_binary(ratio: float, unit: Unit) -> float:
    """The ratio if gibibytes were said: recognisers write gigabytes for them."""
    return ratio * 1.024 ** _DECIMAL_SIZES.get(unit.symbol.partition("/")[0], 0)


def _is_right(
    said: Quantity, known: KnownFact, meant: float, distance: float, rounding: float
) -> bool:
    """True where the words mean the fact, or the figures can hardly be anything else."""
    if meant >= 1:
        return said.unit is not None or distance <= max(rounding, 0.02)
    if known.conditional or distance > max(rounding, 0.01):
        return False
    measured = said.unit is not None and said.unit.dimension not in ("ratio", "count")
    return measured or _figures(said) >= 3


def _figures(said: Quantity) -> int:
    """How many significant figures were stated."""
    steps = said.value / (2 * said.precision)
    return len(f"{round(steps):d}".rstrip("0")) or 1 if abs(steps) < 1e15 else 15


def _is_slip(
    said: Quantity, around: Surroundings, known: KnownFact, factor: float, meant: float
) -> bool:
    """True where the number is the fact's own, off by this factor; nothing else explains a thousand
    but a wrong unit, and of two figures the words that mean the fact.
    """
    if _is_taken_back(around) or _is_small_count(said):
        return False
    # A round figure is often ten or a thousand times another one by chance.
    if factor in _MOVED_POINT:
        return _figures(said) >= 3
    if factor in _WRONG_UNIT:
        return _figures(said) >= (2 if meant >= _SURE_TOKENS else 3)
    if factor == _EIGHT and not _is_eight_times(said, around, known):
        return False
    if 0.9 < factor < 1.11 and said.precision / said.value > _EXACT_TOLERANCE:
        return False  # rounding alone may explain it
    return _is_claim(said, around, known, factor)


def _is_eight_times(said: Quantity, around: Surroundings, known: KnownFact) -> bool:
    """True unless a number that the card knows as no slip is eight times its fact by chance: of
    eight such things, or a round figure whose fact is not named beside it.
    """
    fact = known.computed.fact
    known_slip = any(slip.factor == _EIGHT for slip in fact.slips)
    if said.unit is None and known.computed.unit is not None and not known_slip:
        named = any(term in around.close for term in known.terms)
        return _figures(said) >= 3 and (named or not log2(said.value).is_integer())
    right = known.computed.base if said.unit else known.computed.value
    exact = abs((said.base if said.unit else said.value) / right / _EIGHT - 1) <= _EXACT_TOLERANCE
    if not exact and not known_slip and any(word in around.near for word in (" eight ", " 8 ")):
        return False
    named = fact.key and any(term in around.close for term in known.terms)
    return _figures(said) >= 2 or (exact and named)


def _is_small_count(said: Quantity) -> bool:
    """True for '8' and 'two tokens': small whole numbers are chosen in every other sentence."""
    counts = said.unit is None or said.unit.dimension in ("count", "tokens")
    return counts and said.value <= _SMALL_COUNT and said.value == int(said.value)


def _is_taken_back(around: Surroundings) -> bool:
    return any(word in around.near.partition("|")[2] for word in _TAKEN_BACK)


def _is_claim(said: Quantity, around: Surroundings, known: KnownFact, factor: float) -> bool:
    """True unless the number is a goal, or belongs to a case that the sentence sets beside this."""
    before = around.close.partition("|")[0]
    if any(word in around.close for word in _CHOSEN) or any(word in before for word in _NEEDED):
        return False
    unit = known.computed.unit
    near = _NO_HALF.sub(" ", around.near)
    if unit is not None and unit.dimension == "count":
        near = near.replace(f" {unit.symbol.lower()} ", " ")  # "132 GPUs" counts what is asked for
    if any(word in near for word in _OTHER_CASE) or "sparse" in said.text:
        return False
    if factor in _POWERS_OF_TWO and any(word in near for word in _TWO_CASES):
        return False
    if said.dimension == "tokens" and said.text.endswith("token"):
        return False  # "a 600 token prompt"
    if not around.counts_users or (unit is not None and unit.dimension == "count"):
        return True
    # "eight users hold 21.4 GB" is no slip of a factor of eight; "twenty users" explains none.
    return factor == 8.0 and not any(word in around.near for word in (" eight ", " 8 "))


def _about_factor(around: Surroundings, known: KnownFact, factor: float) -> bool:
    """True where another precision than the fact's explains a factor of two or four."""
    precisions = {"fp8", "bf16", "int4", "int8"}
    named = around.setups & precisions
    powers_of_two = factor in (0.25, 0.5, 2.0, 4.0)
    return powers_of_two and bool(named) and not named & known.setups
