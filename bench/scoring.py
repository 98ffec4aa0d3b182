"""The rule score of a 300-word answer, warm, in this process."""

import gc
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import quantiles

from evals.cases import CASES, RatedAnswer, read_cases
from interviewer.grounding.facts import compute_facts
from interviewer.scoring.rows import answer_material
from interviewer.scoring.rule_scorer import RuleScorer
from questions.library import load
from questions.model import QuestionCard
from rubrics.library import load_rubrics
from web.server import spare_collector

HEAVY = ("numpy", "scipy", "sklearn", "spacy", "torch", "pint", "pandas")
RATED = "FDE-17-a"
"""The rated answer of 299 words, typed, with 15 quantities."""


@dataclass(frozen=True)
class Reading:
    """Milliseconds to a scorecard, the words of the answer, and what heavy was imported."""

    answer: str
    words: int
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    """Of this process, p50."""
    heavy: tuple[str, ...]


def measure(rounds: int = 300) -> list[Reading]:
    """A rated answer of 300 words and the model answer of INF-010, each scored again and again.

    The collector is set as in a server; what the bench runs after it finds it as before.
    """
    library = load()
    rated = next(a for a in read_cases(CASES / "answers.jsonl", RatedAnswer) if a.id == RATED)
    model = library.get("INF-010")
    answers = {
        RATED: (library.get(rated.card), rated.answer),
        "model answer of INF-010": (model, model.model_answer),
    }
    thresholds = gc.get_threshold()
    spare_collector()
    try:
        return [_reading(name, *answer, rounds) for name, answer in answers.items()]
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def _reading(name: str, card: QuestionCard, answer: str, rounds: int) -> Reading:
    compute_facts(card)
    spans = list(_spans(card, answer, rounds))[rounds // 10 :]
    wall = quantiles([wall for wall, _ in spans], n=100)
    cpu = quantiles([cpu for _, cpu in spans], n=2)
    heavy = tuple(name for name in HEAVY if name in sys.modules)
    return Reading(name, len(answer.split()), wall[49], wall[98], cpu[0], heavy)


def _spans(card: QuestionCard, answer: str, rounds: int) -> Iterator[tuple[float, float]]:
    """Milliseconds and milliseconds of CPU of each scoring."""
    scorer, rubrics = RuleScorer(), load_rubrics()
    for _ in range(rounds):
        # A space more each time: nothing that a cache could answer.
        answer += " "
        material = answer_material(answer, card, rubrics)
        at, cpu = time.perf_counter(), time.process_time()
        scorer.assess(material)
        yield (time.perf_counter() - at) * 1e3, (time.process_time() - cpu) * 1e3
