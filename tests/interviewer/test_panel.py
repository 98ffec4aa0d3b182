"""Several judgements of one round: the majority decides, every vote is kept, a split is told."""

import anyio

from interviewer.errors import LLMError
from interviewer.llm.scripted import ScriptedLLM
from interviewer.prompts import PromptLibrary
from interviewer.scoring.panel import Panel, judge_of
from rubrics.scorecard import Part, Scorecard
from tests.interviewer.scoring_cases import WHOLE, material
from tests.interviewer.test_judge import reply

MET = reply(material(WHOLE))
BORDERLINE = reply(material(WHOLE), tradeoff_consequence={"verdict": "partly"})
NONE = reply(material(WHOLE), "not_met")


def scored(*models: ScriptedLLM, repeats: int = 1) -> Scorecard:
    scorer = judge_of(models, PromptLibrary(), repeats)
    return anyio.run(scorer.score, material(WHOLE))


def test_one_judge_that_reads_once_is_no_panel() -> None:
    assert not isinstance(judge_of([ScriptedLLM(MET)], PromptLibrary()), Panel)


def test_the_majority_decides_and_every_vote_is_kept() -> None:
    card = scored(
        ScriptedLLM(MET, name="a"), ScriptedLLM(BORDERLINE, name="b"), ScriptedLLM(MET, name="c")
    )
    score = card.score(Part.TRADEOFF)
    assert score.level == 4
    assert [(vote.judge, vote.level) for vote in score.votes] == [
        ("judge/a", 4),
        ("judge/b", 2),
        ("judge/c", 4),
    ]
    assert card.scorer == "judge/a+b+c"


def test_votes_two_levels_apart_are_disputed_even_with_a_majority() -> None:
    card = scored(ScriptedLLM(MET), ScriptedLLM(BORDERLINE), ScriptedLLM(MET))
    split = "The 3 judgements split: 1 for level 2, 2 for level 4."
    assert card.score(Part.TRADEOFF).disputed == split
    assert card.score(Part.CLAIM).disputed == ""


def test_without_a_majority_the_lower_middle_vote_counts_and_the_part_is_disputed() -> None:
    card = scored(ScriptedLLM(MET), ScriptedLLM(NONE))
    assert card.score(Part.CLAIM).level == 1
    assert (
        card.score(Part.CLAIM).disputed == "The 2 judgements split: 1 for level 1, 1 for level 4."
    )


def test_a_judge_that_fails_is_kept_as_a_vote_and_decides_nothing() -> None:
    broken = ScriptedLLM(LLMError("timeout", "too slow"))
    score = scored(broken, ScriptedLLM(MET)).score(Part.CLAIM)
    assert (score.level, score.disputed) == (4, "")
    assert [vote.state for vote in score.votes] == ["timeout", "scored"]


def test_a_panel_of_which_every_judge_fails_scores_nothing() -> None:
    card = scored(*(ScriptedLLM(LLMError("timeout", "too slow")) for _ in range(2)))
    assert (card.score(Part.CLAIM).level, card.score(Part.CLAIM).state) == (None, "timeout")
    assert card.overall is None


def test_a_judge_that_reads_again_is_asked_at_a_temperature() -> None:
    model = ScriptedLLM(MET, MET, MET, name="a")
    card = scored(model, repeats=3)
    assert card.scorer == "judge/a x3"
    assert len(card.score(Part.NUMBER).votes) == 3
    assert {request.temperature for request in model.requests} == {0.7}


def test_a_red_flag_needs_more_than_half_of_the_judges() -> None:
    alarm = MET.replace(
        '"red_flags": []',
        '"red_flags": [{"quote": "below that everyone is on call", "flag": "blames others"}]',
    )
    few = scored(ScriptedLLM(alarm), ScriptedLLM(MET))
    many = scored(ScriptedLLM(alarm), ScriptedLLM(alarm), ScriptedLLM(MET))
    assert [flag.flag for flag in few.red_flags] == []
    assert [flag.flag for flag in many.red_flags] == ["blames others"]
