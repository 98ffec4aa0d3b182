"""Two attempts at one card: quotes on one line, and what came and went."""

from interviewer.events import Event, Recorded
from interviewer.review.attempts import Attempt, Pair, aligned, compared
from interviewer.round import replay
from questions.library import load
from questions.model import KeyPoint
from rubrics.scorecard import NumberFinding, Part, Scorecard
from tests.interviewer.logs import AT, asked, said, scored, started

CARD = load().get("INF-001")


def attempt(answer: str, *numbers: NumberFinding) -> Attempt:
    events: list[Event] = [started(), asked(CARD.question), said(answer)]
    log = [Recorded(seq=n, at=AT, event=event) for n, event in enumerate(events, start=1)]
    card: Scorecard = scored(3, 3, 3, 3).scorecard.model_copy(update={"numbers": numbers})
    return Attempt(replay(log), card)


def spoken(point: KeyPoint) -> str:
    """A sentence that makes a key point by its first cue."""
    return f"What matters here is {point.cues[0]} and nothing besides."


def test_quotes_that_share_words_stand_on_one_line() -> None:
    before = ["the cache takes 320 KiB a token", "I would try something"]
    after = ["a token takes 320 KiB of the cache", "first I would measure the step"]
    pairs = aligned(before, after)
    assert pairs[0] == Pair(before[0], after[0])
    assert Pair("", after[1]) in pairs
    assert Pair(before[1], "") in pairs


def test_every_quote_stands_on_exactly_one_line() -> None:
    before, after = ["a b c", "a b d", "x"], ["a b c d", "y", "a b"]
    pairs = aligned(before, after)
    assert sorted(pair.before for pair in pairs if pair.before) == sorted(before)
    assert [pair.after for pair in pairs if pair.after] == after


def test_no_quotes_make_no_lines() -> None:
    assert aligned([], []) == ()


def test_a_key_point_made_only_later_is_new_and_one_made_only_before_is_lost() -> None:
    first, second = CARD.key_points.tradeoff[:2]
    changes = compared(CARD, attempt(spoken(first)), attempt(spoken(second)))
    change = next(one for one in changes if one.part is Part.TRADEOFF)
    assert second.point in change.gained
    assert first.point in change.lost
    assert not set(change.gained) & set(change.lost)


def test_a_number_that_came_right_is_new_under_number() -> None:
    fact = next(fact for fact in CARD.facts if fact.key)
    found = NumberFinding(said="1", turn=2, start=0, end=1, verdict="right", fact=fact.id)
    wrong = found.model_copy(update={"verdict": "wrong"})
    changes = compared(CARD, attempt("It is 1.", wrong), attempt("It is 1.", found))
    by_part = {one.part: one for one in changes}
    assert by_part[Part.NUMBER].gained == (fact.label,)
    assert by_part[Part.CLAIM].gained == ()


def test_the_same_answer_twice_changes_nothing() -> None:
    same = attempt(CARD.model_answer)
    assert [(one.gained, one.lost) for one in compared(CARD, same, same)] == [((), ())] * 4
