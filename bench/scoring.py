"""The rule score of a 300-word answer, warm, in this process."""

import sys
import time
from dataclasses import dataclass
from statistics import quantiles

from interviewer.grounding.facts import compute_facts
from interviewer.scoring.rows import answer_material
from interviewer.scoring.rule_scorer import RuleScorer
from questions.library import load
from rubrics.library import load_rubrics

HEAVY = ("numpy", "scipy", "sklearn", "spacy", "torch", "pint", "pandas")


@dataclass(frozen=True)
class Reading:
    """Milliseconds to a scorecard, the words of the answer, and what heavy was imported."""

    words: int
    p50_ms: float
    p99_ms: float
    heavy: tuple[str, ...]


def measure(rounds: int = 300) -> Reading:
    """The model answer of INF-010 and its short form, scored again and again."""
    card = load().get("INF-010")
    compute_facts(card)
    answer = card.model_answer
    scorer, rubrics, spans = RuleScorer(), load_rubrics(), []
    for _ in range(rounds):
        # A space more each time: nothing that a cache could answer.
        answer += " "
        material = answer_material(answer, card, rubrics)
        at = time.perf_counter()
        scorer.assess(material)
        spans.append((time.perf_counter() - at) * 1e3)
    cuts = quantiles(spans[20:], n=100)
    heavy = tuple(name for name in HEAVY if name in sys.modules)
    return Reading(len(answer.split()), cuts[49], cuts[98], heavy)
