"""Fits the rule scorer's weights to the rated answers, and tells how it does on questions left out.

Bounded ridge regression on the signs' strengths, then thresholds for the best weighted kappa; what
an answer's wording says was learned before, without any answer to its question.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.agreement import weighted_kappa
from evals.bench import ASPECTS, Bench
from evals.cases import CASES, Pair, RatedAnswer, read_cases
from evals.wording_fit import Corpus, stems_of
from interviewer.scoring.coverage import STEMS
from interviewer.scoring.features import Answer
from interviewer.scoring.learned import learned_weights, wording_signs
from interviewer.scoring.part_rule import FITS, Fit, PartRule
from interviewer.scoring.red_flags import red_flags
from interviewer.scoring.rule_scorer import RULES, cap_of, read_answer
from interviewer.scoring.wording import TABLE, Table
from rubrics.overall import overall
from rubrics.scorecard import Part, Score

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

RIDGE = 4.0
"""Pull of the weight of a sign written by hand towards nothing: its cues were written with most of
the answers in view, so that it seems better on them than it is."""
RIDGE_LEARNED = 0.5
"""The same for signs whose strength was learned without the answer's question."""
FOLDS = 5
"""Groups of questions that are left out in turn."""
SPREAD = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
"""Levels by which each answer is moved for the cuts: the best cuts of a few hundred answers hang on
single ones. On questions left out the mean kappa of the parts rose from 0.790 to 0.800.
"""
_STEPS = 60
_START = (1.75, 2.6, 3.2)


@dataclass(frozen=True)
class Read:
    """A rated answer as the scorer reads it."""

    case: RatedAnswer
    answer: Answer
    flags: int
    strengths: Mapping[Part, dict[str, float]]


def read_all(bench: Bench, cases: Sequence[RatedAnswer]) -> list[Read]:
    """Every answer's signs, once."""
    return [_read(bench, case) for case in cases]


def fit(reads: Sequence[Read], part: Part) -> Fit:
    """Base, points and thresholds of one part."""
    import numpy as np
    from scipy.optimize import lsq_linear

    rule = RULES[part]
    names = list(rule.weights)
    matrix = _matrix(reads, part)
    levels = np.array([read.case.ratings[0].level(part) for read in reads])
    count = len(names)
    light = learned_weights(part)
    pull = np.diag([(RIDGE_LEARNED if name in light else RIDGE) ** 0.5 for name in names])
    system = np.vstack([matrix, np.hstack([pull, np.zeros((count, 1))])])
    target = np.concatenate([levels, np.zeros(count)])
    low, high = _bounds(rule)
    found = lsq_linear(system, target, (low, high)).x
    thresholds = _thresholds(matrix @ found, levels)
    points = {name: round(float(value), 3) for name, value in zip(names, found, strict=False)}
    return Fit(base=round(float(found[-1]), 3), points=points, thresholds=thresholds)


def learn(
    corpus: Corpus, reads: Sequence[Read], seen: Sequence[int]
) -> tuple[Table, dict[Part, Fit]]:
    """The table and the fits by the answers with these indices."""
    held_out: list[Read] = []
    for fold in _folds(reads, seen):
        table = corpus.learn([index for index in seen if index not in fold])
        held_out += [_with_table(reads[index], table) for index in fold]
    return corpus.learn(seen), {part: fit(held_out, part) for part in Part}


def left_out(bench: Bench, cases: Sequence[RatedAnswer]) -> dict[str, dict[str, int | None]]:
    """The levels of each answer, by a scorer that learned without any answer to its question."""
    reads = read_all(bench, cases)
    corpus = corpus_of(bench, reads)
    levels: dict[str, dict[str, int | None]] = {}
    everything = range(len(reads))
    for fold in _folds(reads, everything):
        table, fits = learn(corpus, reads, [index for index in everything if index not in fold])
        for index in fold:
            levels[cases[index].id] = _levels(_with_table(reads[index], table), fits)
    return levels


def corpus_of(bench: Bench, reads: Sequence[Read]) -> Corpus:
    """What wording is learned from: these answers, the cards and the adversarial pairs."""
    return Corpus(
        cases=[read.case for read in reads],
        answers=[read.answer for read in reads],
        cards=bench.library.cards,
        attacks=read_cases(CASES / "adversarial.jsonl", Pair),
    )


def _folds(reads: Sequence[Read], seen: Sequence[int]) -> list[list[int]]:
    """The indices in groups, all answers to a question in the same one."""
    questions = list(dict.fromkeys(reads[index].case.card for index in seen))
    place = {question: at % FOLDS for at, question in enumerate(questions)}
    return [
        [index for index in seen if place[reads[index].case.card] == fold] for fold in range(FOLDS)
    ]


def _with_table(read: Read, table: Table) -> Read:
    """The answer as a scorer with another table reads it."""
    answer = replace(read.answer, table=table)
    strengths = {
        part: signs | {n: s.strength for n, s in wording_signs(answer.wording, part).items()}
        for part, signs in read.strengths.items()
    }
    return replace(read, answer=answer, strengths=strengths)


def _levels(read: Read, fits: Mapping[Part, Fit]) -> dict[str, int | None]:
    scores = []
    for part in Part:
        rule = RULES[part].with_fit(fits[part])
        scores.append(rule.score(read.answer, cap_of(part, read.answer)))
    by_part: dict[str, int | None] = {score.part.value: score.level for score in scores}
    return {**by_part, "overall": _overall(scores, read)}


def _overall(scores: Sequence[Score], read: Read) -> int | None:
    return overall(scores, range(read.flags), len(read.answer.wrong))


def _read(bench: Bench, case: RatedAnswer) -> Read:
    material = bench.material(case.answer, bench.card(case.card, case.question), case.mode)
    answer, talk = read_answer(material)
    strengths = {
        part: {name: found.strength for name, found in rule.signs(answer).items()}
        for part, rule in RULES.items()
    }
    return Read(case, answer, len(red_flags(answer, talk)), strengths)


def _matrix(reads: Sequence[Read], part: Part) -> "Array":
    import numpy as np

    names = list(RULES[part].weights)
    return np.array([[*(read.strengths[part][name] for name in names), 1.0] for read in reads])


def _bounds(rule: PartRule) -> tuple[list[float], list[float]]:
    """A sign that helps never counts against, and the other way round."""
    low = [0.0 if weight.helps else -4.0 for weight in rule.weights.values()]
    high = [4.0 if weight.helps else 1e-9 for weight in rule.weights.values()]
    return [*low, -4.0], [*high, 4.0]


def _thresholds(values: "Array", levels: "Array") -> tuple[float, float, float]:
    """The three cuts with the best kappa of the spread values; of equal ones the middle one."""
    import numpy as np

    values = np.concatenate([values + moved for moved in SPREAD])
    levels = np.tile(levels, len(SPREAD))
    grid = np.linspace(1.1, 3.9, _STEPS)
    cuts, best = list(_START), _kappa(values, levels, _START)
    for _ in range(4):
        before = list(cuts)
        for index in range(3):
            tried = [_kappa(values, levels, _moved(cuts, index, float(cut))) for cut in grid]
            top = max(tried)
            if top > best + 1e-9:
                plateau = [float(c) for c, kappa in zip(grid, tried, strict=True) if kappa >= top]
                cuts[index], best = plateau[len(plateau) // 2], top
        if cuts == before:
            break
    two, three, four = (round(cut, 3) for cut in cuts)
    return two, three, four


def _moved(cuts: Sequence[float], index: int, cut: float) -> tuple[float, ...]:
    return (*cuts[:index], cut, *cuts[index + 1 :])


def _kappa(values: "Array", levels: "Array", cuts: Sequence[float]) -> float:
    """Quadratic-weighted kappa of the cut values; -1 where the cuts are out of order."""
    import numpy as np

    if list(cuts) != sorted(cuts):
        return -1.0
    found = np.digitize(values, np.array(cuts))
    counts = np.bincount((levels - 1) * 4 + found, minlength=16).reshape(4, 4)
    weights = np.subtract.outer(np.arange(4), np.arange(4)) ** 2
    chance = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    return float(1 - (weights * counts).sum() / max(1e-9, (weights * chance).sum()))


def write_fits(file: Path = FITS) -> dict[str, float | None]:
    """Learn all parts and write them; kappa by aspect on questions left out."""
    bench, cases = Bench.bundled(), read_cases(CASES / "answers.jsonl", RatedAnswer)
    write_json(STEMS, stems_of(bench.library.cards))
    reads = read_all(bench, cases)
    table, fits = learn(corpus_of(bench, reads), reads, range(len(reads)))
    write_json(TABLE, asdict(table))
    write_json(file, {part.value: asdict(fit) for part, fit in fits.items()})
    levels = left_out(bench, cases)
    return {
        aspect: weighted_kappa(
            [case.ratings[0].level(aspect) for case in cases],
            [levels[case.id][aspect] or 1 for case in cases],
        )
        for aspect in ASPECTS
    }


def write_json(file: Path, data: Mapping[str, object]) -> None:
    """One entry a line, so that a change can be read."""
    file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
