"""What wording says of a part, and how much of a card is taken up: values worked out by hand."""

import pytest

from evals.wording_fit import phrases, stems_of
from interviewer.scoring.coverage import coverage, is_left_out
from interviewer.scoring.rule_scorer import RULES, read_answer
from interviewer.scoring.wording import (
    PLACED,
    WINDOW,
    Learned,
    Table,
    kind,
    known_phrases,
    shipped,
    window_spans,
    window_sums,
)
from questions.library import load
from questions.model import KeyPoints
from rubrics.scorecard import Part
from tests.interviewer.scoring_cases import NEXTSTEP, TRADEOFF, WHOLE, card, material

FIT = Learned(-1.0, {"if": 0.5, "if the": 0.25, "#": 2.0, "again": -0.75})
SAID = ("if the queue grows i stop and if the load is # again " * 7).split()


def by_hand(words: list[str]) -> list[float]:
    said = phrases(words)
    starts = range(max(1, len(words) - WINDOW + 1))
    found = ({p for at in said[start : start + WINDOW] for p in at} for start in starts)
    return [FIT.base + sum(FIT.points.get(phrase, 0.0) for phrase in once) for once in found]


@pytest.mark.parametrize("length", [1, 2, WINDOW - 1, WINDOW, WINDOW + 1, 40, 84])
def test_each_window_counts_each_of_its_phrases_once(length: int) -> None:
    words, table = SAID[:length], Table({}, {Part.CLAIM: Learned(0.0, {}), Part.NUMBER: FIT})
    spans = window_spans(known_phrases(words, table), length)
    assert window_sums(spans, 1, FIT.base, length) == pytest.approx(by_hand(words))


def test_a_whole_answer_counts_each_of_its_phrases_once() -> None:
    answer, _ = read_answer(material(WHOLE))
    once = {p for at in phrases([word.text for word in answer.words.words]) for p in at}
    for part, fit in shipped().whole.items():
        by_hand = fit.base + sum(fit.points.get(phrase, 0.0) for phrase in once)
        assert answer.wording.whole[part] == pytest.approx(by_hand)


def test_figures_and_dates_are_alike_however_they_are_written() -> None:
    assert {kind(said) for said in ("14.6", "$300", "twelve", "hundred", "2,048")} == {"#"}
    assert {kind(said) for said in ("friday", "march", "tomorrow")} == {"DAY"}
    assert phrases(["by", "friday"])[1] == ("DAY", "by DAY", " by DAY")


@pytest.mark.parametrize("part", [Part.TRADEOFF, Part.NEXTSTEP])
def test_the_best_window_of_a_part_stands_in_its_sentence(part: Part) -> None:
    answer, _ = read_answer(material(WHOLE))
    hit = answer.wording.places[part].hit
    sentence = {Part.TRADEOFF: TRADEOFF, Part.NEXTSTEP: NEXTSTEP}[part].lower()
    assert hit is not None
    assert hit.text in sentence.replace(",", "").replace(":", "").replace(".", "")


def test_the_shipped_table_has_phrases_for_every_part() -> None:
    table = shipped()
    assert set(table.whole) == set(Part)
    assert set(table.window) == set(PLACED)
    assert all(fit.points for fit in [*table.whole.values(), *table.window.values()])


def test_a_cards_own_points_are_all_taken_up_and_another_card_takes_up_few() -> None:
    of = load().get("INF-010")
    points = of.key_points.claim
    said = ". ".join(text for point in points for text in (point.point, *point.cues))
    own, _ = read_answer(material(said, of=of))
    other, _ = read_answer(material(load().get("BEH-FAIL").model_answer, of=of))
    assert coverage(own, Part.CLAIM).strength == 1.0
    assert coverage(other, Part.CLAIM).strength < 0.5


def test_a_card_that_says_nothing_of_a_part_tells_nothing() -> None:
    none = KeyPoints(claim=(), number=(), tradeoff=(), nextstep=())
    answer, _ = read_answer(material(WHOLE, of=card(key_points=none)))
    found = coverage(answer, Part.CLAIM)
    assert (found.strength, found.known) == (0.5, False)


def test_the_part_that_is_cut_out_of_a_model_answer_is_the_one_left_out() -> None:
    of = load().get("INF-010")
    paragraphs = of.model_answer.split("\n\n")
    rest, _ = read_answer(material("\n\n".join([*paragraphs[:2], paragraphs[3]]), of=of))
    assert [part for part in Part if is_left_out(rest, part)] == [Part.TRADEOFF]


def test_a_stem_is_counted_once_a_card() -> None:
    of = load().get("INF-010")
    assert stems_of([of] * 3)["cards"] == 3
    assert set(stems_of([of] * 3)["stems"].values()) == {3}
    assert stems_of([of])["stems"] == {}


def test_said_again_at_once_is_said_once() -> None:
    once, _ = read_answer(material("We have 18 pages a week, so six people."))
    twice, _ = read_answer(material("We have 18 pages we have 18 pages a week, so six people."))
    assert once.words.text == twice.words.text
    assert RULES[Part.NUMBER].signs(once) == RULES[Part.NUMBER].signs(twice)
