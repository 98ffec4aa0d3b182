"""Figures that the judge doubts: quoted, reasoned, beside what code found."""

import anyio
import pytest

from interviewer.llm.scripted import ScriptedLLM
from interviewer.prompts import PromptLibrary
from interviewer.scoring.doubts import UNSHOWN
from interviewer.scoring.judge import Judge
from interviewer.scoring.panel import judge_of
from rubrics.scorecard import NumberFinding, Part, Scorecard
from tests.interviewer.scoring_cases import WHOLE, levels, material
from tests.interviewer.test_judge import doubting, reply

HOURS = "18 times 40 is 720 minutes"
DOUBT = (HOURS, "It leaves the hand-over out.")


def judged(*doubts: tuple[str, str], answer: str = WHOLE) -> Scorecard:
    round_ = material(answer)
    judge = Judge(ScriptedLLM(doubting(round_, *doubts)), PromptLibrary())
    return anyio.run(judge.score, round_)


def doubts_in(card: Scorecard) -> list[NumberFinding]:
    return [found for found in card.numbers if found.verdict == "doubted"]


def test_a_doubted_figure_is_shown_with_its_words_and_the_reason() -> None:
    found = doubts_in(judged(DOUBT))[0]
    assert (found.said, found.reason, found.right) == (*DOUBT, None)
    assert WHOLE[found.start : found.end] == HOURS


def test_a_doubt_holds_the_number_at_2_and_no_other_part() -> None:
    card = judged(DOUBT)
    assert list(levels(card).values()) == [4, 2, 4, 4]
    assert card.score(Part.NUMBER).reason == f"The judge holds “{HOURS}” to be wrong: {DOUBT[1]}"
    assert card.score(Part.NUMBER).evidence
    assert card.overall == 3


@pytest.mark.parametrize(
    "quote", ["19 times 40 is 760 minutes", "that decides whether they stay", "720"]
)
def test_words_that_were_not_said_or_hold_no_figure_or_are_too_few_are_left_out(quote: str) -> None:
    assert doubts_in(judged((quote, "It is wrong."))) == []


def test_a_number_that_nothing_grounds_is_left_out_of_the_reason() -> None:
    found = doubts_in(judged((HOURS, "It should be 17 hours. The hand-over is left out.")))
    assert found[0].reason == "The hand-over is left out."


def test_a_reason_that_is_all_ungrounded_figures_says_so_instead() -> None:
    assert doubts_in(judged((HOURS, "It should be 17 hours.")))[0].reason == UNSHOWN


def test_what_code_found_wrong_is_not_doubted_again() -> None:
    wrong = WHOLE.replace("720", "900")
    card = judged(("18 times 40 is 900 minutes", "It is 720."), answer=wrong)
    assert [found.said for found in card.numbers if found.verdict == "wrong"] == ["900 minutes"]
    assert doubts_in(card) == []


def test_a_doubt_takes_the_place_of_what_was_not_checked() -> None:
    before, after = judged(), judged(("we had fewer than 5 pages a week", "Against the 18 pages."))
    pages = [found.said for found in before.numbers if "5 pages" in found.said]
    assert pages
    assert [f.verdict for f in after.numbers if "5 pages" in f.said] == ["doubted"]


def test_a_figure_that_is_doubted_twice_is_shown_once() -> None:
    assert len(doubts_in(judged(DOUBT, ("which is 12 hours a week", "No."), DOUBT))) == 2


def test_a_reply_without_a_list_of_doubts_is_read_as_before() -> None:
    card = anyio.run(
        Judge(ScriptedLLM(reply(material(WHOLE))), PromptLibrary()).score, material(WHOLE)
    )
    assert doubts_in(card) == []


@pytest.mark.parametrize(("doubting_judges", "shown"), [(1, 0), (2, 1), (3, 1)])
def test_a_panel_shows_the_doubts_of_more_than_half(doubting_judges: int, shown: int) -> None:
    round_ = material(WHOLE)
    doubtful = [ScriptedLLM(doubting(round_, DOUBT)) for _ in range(doubting_judges)]
    sure = [ScriptedLLM(reply(round_)) for _ in range(3 - doubting_judges)]
    card = anyio.run(judge_of([*sure, *doubtful], PromptLibrary()).score, round_)
    assert [found.said for found in doubts_in(card)] == [HOURS] * shown
    places = [(found.turn, found.start) for found in card.numbers]
    assert places == sorted(places)
    assert len(places) == len(set(places))
