"""`speculative_sampling`: the exact law of rejection sampling, by enumeration in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments, Chance
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Law = list[Fraction]
Rule = Literal["exact", "no_residual", "draft_bonus", "always_accept"]
MOST = 4096
"""Sequences that are enumerated."""
BY_POSITION = 8


class SpeculativeSamplingArguments(Arguments):
    """Arguments of speculative_sampling."""

    target: list[list[Chance]] = Field(
        min_length=1,
        max_length=BY_POSITION,
        description="Target's probabilities, a row a position; one row more than draft has",
    )
    draft: list[list[Chance]] = Field(
        min_length=1,
        max_length=BY_POSITION - 1,
        description="Drafter's probabilities, a row a drafted position",
    )
    rule: Rule = Field(
        default="exact",
        description="exact; or a fault: no_residual resamples from the target after a rejection, "
        "draft_bonus takes the bonus token from the last draft row, always_accept verifies nothing",
    )


@tool(
    group="sampling_ref",
    example={
        "target": [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]],
        "draft": [[0.2, 0.6, 0.2]],
    },
    drawing=Drawing(
        kind="bars",
        title="What the first position yields, beside the target's law",
        x="token",
        x_label="token",
        y_label="probability",
        series=(Series("kept_draft", "accepted draft"), Series("residual", "resampled")),
        marker=Series("target", "target"),
    ),
)
def speculative_sampling(given: SpeculativeSamplingArguments) -> Working:
    """Exact output law of speculative rejection sampling, and its distance from the target's.

    Accept with min(1, p/q); after a rejection sample from max(0, p - q), renormalised; after all
    drafts one bonus token from the target. Enumerated in exact fractions: a right rule has total
    variation 0, not nearly 0. The faulty rules show what a test must tell apart.
    """
    target, draft = _laws(given)
    work = Working(headline="total_variation", source="Leviathan et al. 2023, appendix A.1")
    joint = _joint(target, draft, given.rule)
    wanted = _independent(target)
    distance = sum((abs(joint[s] - wanted[s]) for s in wanted), Fraction(0)) / 2
    work.put("total_variation", float(distance), "probability", "of the joint law to the target's")
    p, q = target[0], draft[0]
    accept = sum(map(min, p, q), Fraction(0))
    work.put("acceptance", float(accept), "probability", "first draft is accepted: sum of min(p,q)")
    work.put(
        "expected_tokens", float(_tokens(target, draft)), "tokens/step", "with the bonus token"
    )
    residual = _residual(p, q)
    for i in range(len(p)):
        again = (p if given.rule == "no_residual" else residual)[i] if accept < 1 else Fraction(0)
        kept = q[i] if given.rule == "always_accept" else min(p[i], q[i])
        rest = Fraction(0) if given.rule == "always_accept" else (1 - accept) * again
        work.table.append(
            {
                "token": str(i),
                "target": float(p[i]),
                "draft": float(q[i]),
                "kept_draft": float(kept),
                "residual": float(rest),
                "residual_law": float(residual[i]),
                "output": float(kept + rest),
            }
        )
    _put_samples(work, joint, wanted)
    work.formula = _formula(accept, distance, given.rule)
    work.assume(
        "rows do not depend on the tokens before them; after a rejection the rest of the sequence "
        "is sampled from the target, as the next steps would",
        "probabilities as written, in exact fractions: floating point adds its own rounding",
    )
    if distance:
        work.warn(f"rule {given.rule} is not lossless")
    return work


def _formula(accept: Fraction, distance: Fraction, rule: Rule) -> str:
    lost, ends = plain(float(1 - accept)), f"total variation {plain(float(distance))}"
    if rule != "exact":
        return f"rule {rule}, acceptance {plain(float(accept))}: {ends}"
    if accept == 1:
        return f"p = q: every draft is accepted, nothing is resampled: {ends}"
    return f"output = min(p, q) + {lost} x (max(0, p - q) / {lost}) = p: {ends}"


def _laws(given: SpeculativeSamplingArguments) -> tuple[list[Law], list[Law]]:
    target = [_law("target", row) for row in given.target]
    draft = [_law("draft", row) for row in given.draft]
    if len(target) != len(draft) + 1:
        raise ToolError(
            "target", len(target), f"needs {len(draft) + 1} rows: the last is the bonus token's"
        )
    sizes = {len(row) for row in [*target, *draft]}
    if len(sizes) != 1:
        raise ToolError("draft", sorted(sizes), "all rows are of one vocabulary")
    if sizes.pop() ** len(target) > MOST:
        raise ToolError("target", len(target), f"more than {MOST:,} sequences: take fewer tokens")
    return target, draft


def _law(field: str, row: Sequence[float]) -> Law:
    """As written: 0.1 is one tenth. A sum that is 1 but for rounding is renormalised."""
    law = [Fraction(repr(float(p))) for p in row]
    total = sum(law, Fraction(0))
    if abs(total - 1) > Fraction(1, 10**6):
        raise ToolError(field, list(row), f"sums to {float(total):g}, not 1")
    return [p / total for p in law]


def _residual(p: Law, q: Law) -> Law:
    excess = [max(Fraction(0), a - b) for a, b in zip(p, q, strict=True)]
    total = sum(excess)
    return [e / total for e in excess] if total else excess


def _tokens(target: Sequence[Law], draft: Sequence[Law]) -> Fraction:
    total = chance = Fraction(1)
    for p, q in zip(target, draft, strict=False):
        chance *= sum(map(min, p, q))
        total += chance
    return total


def _independent(rows: Sequence[Law]) -> dict[tuple[int, ...], Fraction]:
    laws: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for row in rows:
        laws = {(*s, i): c * p for s, c in laws.items() for i, p in enumerate(row)}
    return laws


def _joint(
    target: Sequence[Law], draft: Sequence[Law], rule: Rule
) -> dict[tuple[int, ...], Fraction]:
    """Law of the sequence: per position an accepted part, which goes on, and a resampled end."""
    whole = dict.fromkeys(product(range(len(target[0])), repeat=len(target)), Fraction(0))
    going: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for position, q in enumerate(draft):
        p = target[position]
        kept = list(q) if rule == "always_accept" else list(map(min, p, q))
        again = p if rule == "no_residual" else _residual(p, q)
        lost = 1 - sum(kept)
        rest = _independent(target[position + 1 :])
        for sequence, chance in going.items():
            for i, tail in product(range(len(p)), rest if lost else ()):
                whole[(*sequence, i, *tail)] += chance * lost * again[i] * rest[tail]
        going = {(*s, i): c * k for s, c in going.items() for i, k in enumerate(kept)}
    bonus = draft[-1] if rule == "draft_bonus" else target[-1]
    for sequence, chance in going.items():
        for i, p_bonus in enumerate(bonus):
            whole[(*sequence, i)] += chance * p_bonus
    return whole


def _put_samples(
    work: Working,
    joint: dict[tuple[int, ...], Fraction],
    wanted: dict[tuple[int, ...], Fraction],
) -> None:
    """Samples that a test of the most telling sequence needs."""
    z = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(0.8)
    needs = [
        (z[0] * (b * (1 - b)) ** 0.5 + z[1] * (a * (1 - a)) ** 0.5) ** 2 / (a - b) ** 2
        for a, b in ((float(joint[s]), float(wanted[s])) for s in wanted)
        if abs(a - b) > 1e-12
    ]
    if needs:
        work.put(
            "samples_to_tell",
            max(1.0, min(needs)),
            "samples",
            "to see the fault at the sequence that shows it best (5 % level, 80 % power)",
            "estimate",
        )
