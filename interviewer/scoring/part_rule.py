"""How one part's signs become a level, a reason and evidence:
the same arithmetic for all four parts."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from interviewer.scoring.check import Cap
from interviewer.scoring.features import Answer
from interviewer.scoring.signs import Signs
from rubrics.scorecard import SOLID, Evidence, Level, Part, Score

Clause = tuple[str, str]
"""What it is about, and what a reason says of it."""

FITS = Path(__file__).parent / "fits.json"
THERE = 0.5
"""The strength from which a sign counts as there in a reason."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Whether a sign counts for the part or against it, and how to speak of it."""

    helps: bool
    found: str = ""
    """Said in the reason when the sign is there."""
    missing: str = ""
    """Said in the reason when a sign that would add points is not there."""
    partly: str = ""
    """Said in place of `found` when the sign is there, but not in full."""
    little: str = ""
    """Said in place of `missing` when there is less than half of the sign, but some."""
    about: str = ""
    """What it speaks of: a reason does not praise and blame the same thing, nor say it twice."""

    def clause(self, strength: float) -> str:
        """What there is to say of the sign at this strength; nothing of what counts against a part
        and is not there.
        """
        if strength >= THERE:
            return self.partly if self.partly and strength < 1 else self.found
        if not self.helps:
            return ""
        return self.little if self.little and strength > 0 else self.missing


@dataclass(frozen=True, slots=True)
class Fit:
    """What was fitted to rated answers: the level without signs, what each sign adds at full
    strength, and the three cuts between the levels. `viva eval fit` makes it anew.
    """

    base: float
    points: Mapping[str, float]
    thresholds: tuple[float, float, float]


@cache
def fitted() -> Mapping[Part, Fit]:
    """The fits that ship with the scorer."""
    parts = json.loads(FITS.read_text("utf-8"))
    return {
        Part(name): Fit(fit["base"], fit["points"], (*fit["thresholds"],))
        for name, fit in parts.items()
    }


@dataclass(frozen=True, slots=True)
class PartRule:
    """Signs with weights; the sum is cut at three thresholds.
    A part without evidence stays at 1."""

    part: Part
    signs: Callable[[Answer], Signs]
    weights: Mapping[str, Weight]
    shows: tuple[str, ...]
    """Signs whose words are quoted, the most telling first; without any there is no credit."""
    borderline: str | None = None
    """The sign that alone carries level 2: a generic trade-off, a generic next step."""
    nothing: str = ""
    """The reason where there are no words to quote."""
    fit: Fit | None = None
    """Another fit than the shipped one."""

    def with_fit(self, fit: Fit) -> "PartRule":
        """The same rule with other points."""
        return replace(self, fit=fit)

    def score(self, answer: Answer, cap: Cap | None = None) -> Score:
        """The level of this part, at most that of `cap`."""
        signs = self.signs(answer)
        level = self._level(signs)
        evidence = self._evidence(answer, signs)
        if not evidence:
            return Score(part=self.part, level=1, reason=self.nothing)
        reason = self._reason(signs, level)
        if cap and level >= cap.level:
            level, reason = cap.level, cap.reason
            evidence = (answer.words.around(cap.found),) if cap.found else evidence
        return Score(part=self.part, level=level, reason=reason, evidence=evidence)

    def estimate(self, signs: Signs) -> float:
        """The estimated level on a continuous scale, before it is cut."""
        fit = self._fit
        return fit.base + sum(fit.points[name] * signs[name].strength for name in self.weights)

    @property
    def _fit(self) -> Fit:
        return self.fit or fitted()[self.part]

    def _level(self, signs: Signs) -> Level:
        value = self.estimate(signs)
        two, three, four = self._fit.thresholds
        if value >= four:
            return 4
        if value >= three:
            return 3
        generic = self.borderline is not None and signs[self.borderline].strength > 0
        return 2 if value >= two or generic else 1

    def _evidence(self, answer: Answer, signs: Signs) -> tuple[Evidence, ...]:
        """At most two quotes that do not overlap."""
        hits = [signs[name].hits[0] for name in self.shows if signs[name].hits]
        quotes: list[Evidence] = []
        for hit in hits:
            quote = answer.words.evidence(hit.first, hit.last)
            if not any(_overlap(quote, other) for other in quotes):
                quotes.append(quote)
            if len(quotes) == 2:
                break
        return tuple(quotes)

    def _reason(self, signs: Signs, level: Level) -> str:
        """What helped most, then what held the level back, of different things.

        Below solid what held it back is chosen first; at 1 there is nothing to praise.
        """
        praise, blame = self._clauses(signs)
        if level >= SOLID:
            good = _first(praise, 2)
            bad = _first([c for c in blame if c[0] not in good], 0 if level == 4 else 2)
        else:
            bad = _first(blame, 2)
            good = _first([c for c in praise if c[0] not in bad], level - 1)
        return " ".join(filter(None, map(_sentence, (good, bad)))) or self.nothing

    def _clauses(self, signs: Signs) -> tuple[list[Clause], list[Clause]]:
        """What speaks for the part and what against it, the weightiest first; of the latter what is
        there before what is lacking.
        """
        points = self._fit.points
        praise, held, lacking = list[Clause](), list[Clause](), list[Clause]()
        for name in sorted(self.weights, key=lambda name: -abs(points[name])):
            weight, sign = self.weights[name], signs[name]
            clause = weight.clause(sign.strength)
            if not clause or not sign.known:
                continue
            there = praise if weight.helps else held
            (there if sign.strength >= THERE else lacking).append((weight.about or name, clause))
        return praise, held + lacking


def _first(clauses: Iterable[Clause], most: int) -> dict[str, str]:
    """The first clauses about different things, by what they are about."""
    found: dict[str, str] = {}
    for about, clause in clauses:
        if len(found) < most:
            found.setdefault(about, clause)
    return found


def _overlap(one: Evidence, other: Evidence) -> bool:
    return one.turn == other.turn and one.start < other.end and other.start < one.end


def _sentence(clauses: Mapping[str, str]) -> str:
    text = "; ".join(clauses.values())
    return f"{text[0].upper()}{text[1:]}." if text else ""
