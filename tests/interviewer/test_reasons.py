"""A reason says why a level is what it is, of different things, and nothing that is not so."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from interviewer.scoring.check import Cap, number_cap
from interviewer.scoring.learned import key_points_weight
from interviewer.scoring.part_rule import Weight
from interviewer.scoring.rows import answer_material
from interviewer.scoring.rule_scorer import RULES, RuleScorer, read_answer
from questions.library import load
from rubrics.library import load_rubrics
from rubrics.scorecard import NumberFinding, Part, Score, Verdict

RATED = Path(__file__).parents[1] / "golden" / "rated-answers.jsonl"
CARDS, RUBRICS = load(), load_rubrics()


def scores() -> list[Score]:
    rows = map(json.loads, RATED.read_text("utf-8").splitlines())
    answers = [answer_material(row["answer"], CARDS.get(row["card"]), RUBRICS) for row in rows]
    return [score for answer in answers for score in RuleScorer().assess(answer).scores]


def spoken_of(score: Score) -> list[str]:
    """What the clauses of a reason are about."""
    found = []
    for name, weight in RULES[score.part].weights.items():
        clauses = {weight.found, weight.partly, weight.missing, weight.little} - {""}
        said = {
            clause.rstrip(".").lower() for clause in score.reason.replace(". ", "; ").split("; ")
        }
        found += [weight.about or name] * bool(said & {clause.lower() for clause in clauses})
    return found


def test_no_reason_speaks_twice_of_the_same_thing() -> None:
    told = [spoken_of(score) for score in scores()]
    assert sum(map(len, told)) > 2 * len(RATED.read_text("utf-8").splitlines())
    assert all(len(set(about)) == len(about) for about in told)


@pytest.mark.parametrize(
    ("part", "one", "other"),
    [
        (Part.CLAIM, "preamble", "reverses"),
        (Part.TRADEOFF, "strong_cost", "said"),
        (Part.NEXTSTEP, "late", "said"),
    ],
)
def test_signs_of_one_thing_are_known_as_such(part: Part, one: str, other: str) -> None:
    weights = RULES[part].weights
    assert weights[one].about == weights[other].about != ""


def test_a_sign_is_only_called_missing_where_there_is_none_of_it() -> None:
    units = RULES[Part.NUMBER].weights["units"]
    assert [units.clause(strength) for strength in (0.0, 0.2, 0.6)] == [
        "figures stand without a unit",
        "few figures with a unit are given",
        "the figures have units",
    ]


def test_some_of_the_points_are_not_all_of_them() -> None:
    points = key_points_weight("costs")
    assert points.clause(0.5) == "it names some of the costs that matter for this question"
    assert points.clause(1.0) == "it names the costs that matter for this question"


def test_what_counts_against_a_part_is_only_said_where_it_is_there() -> None:
    rambles = Weight(False, "it rambles")
    assert (rambles.clause(0.4), rambles.clause(0.5)) == ("", "it rambles")


def finding(turn: int, said: str, verdict: Verdict) -> NumberFinding:
    return NumberFinding(
        said=said, turn=turn, start=0, end=7, verdict=verdict, right="320 KiB", fact="per-token"
    )


def test_a_wrong_figure_that_a_later_reply_puts_right_is_told_so() -> None:
    wrong, mended = finding(2, "160 KiB", "slip"), finding(4, "320 KiB", "right")
    alone, later = number_cap([wrong]), number_cap([wrong, mended])
    assert alone is not None
    assert later is not None
    assert alone.reason == "“160 KiB” is wrong; it is 320 KiB."
    assert later.reason == "“160 KiB” is wrong; it is 320 KiB, as you said later."
    assert later.level == alone.level


def test_what_caps_a_part_is_its_reason_also_where_its_signs_give_no_more() -> None:
    row = answer_material("About forty users fit, at 160 KiB.", CARDS.get("INF-010"), RUBRICS)
    answer, rule = read_answer(row)[0], RULES[Part.NUMBER]
    level = rule.score(answer).level
    assert level is not None
    assert rule.score(answer, Cap(level, "It is wrong.")).reason == "It is wrong."


def test_a_drill_on_one_part_blames_nothing_that_it_does_not_ask_for() -> None:
    text = "Continuous batching, because the step is bound by reading the weights."
    row = answer_material(text, CARDS.get("FDE-01"), RUBRICS)
    whole, drill = RuleScorer().assess(row), RuleScorer().assess(replace(row, part="claim"))
    of_all, alone = whole.score(Part.CLAIM), drill.score(Part.CLAIM)
    assert "what follows" not in alone.reason.lower()
    assert (alone.level, alone.reason) == (of_all.level, of_all.reason)
