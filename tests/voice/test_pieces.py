"""How speech is cut into pieces, and when a recogniser's words are doubted."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.voice.doubt import Said, is_loop, is_speech, missed
from interviewer.voice.pieces import LONGEST_S, MARGIN_S, pieces


def said(start: float, end: float, *words: tuple[str, float, float], doubt: float = 0.0) -> Said:
    return Said("text", start, end, doubt, tuple((*word, 0.9) for word in words))


def test_speech_with_short_pauses_is_one_piece_with_a_margin() -> None:
    assert pieces([(1, 5), (7, 9)], 10) == [(0.7, 9.3)]


def test_a_long_pause_parts_two_pieces() -> None:
    assert pieces([(0.25, 5), (9.5, 12)], 12.25) == [(0.0, 5.3), (9.2, 12.25)]


def test_half_an_hour_without_a_pause_is_cut_all_the_same() -> None:
    cut = pieces([(0, 1800)], 1800)
    assert max(end - start for start, end in cut) <= LONGEST_S
    assert sum(end - start for start, end in cut) == pytest.approx(1800)


@given(st.lists(st.floats(0.05, 40), min_size=2, max_size=40))
def test_every_moment_of_speech_is_in_exactly_one_piece(lengths: list[float]) -> None:
    edges = [0.0]
    for length in lengths:
        edges.append(edges[-1] + length)
    speech = list(zip(edges[::2], edges[1::2], strict=False))
    cut = pieces(speech, edges[-1])
    for (_, end), (start, _) in pairwise(cut):
        assert end <= start + 1e-9
    for start, end in speech:
        covered = sum(max(0.0, min(end, last) - max(start, first)) for first, last in cut)
        assert covered == pytest.approx(end - start)
    assert all(end - start <= LONGEST_S + 2 * MARGIN_S + 1e-9 for start, end in cut)


@pytest.mark.parametrize(
    ("text", "looped"),
    [
        ("so, so, so, so, so, so,", True),
        ("at the end at the end at the end at the end at the end", True),
        ("and then the cache of the server is full. " * 3, True),
        ("a very, very, very long prompt", False),
        ("Sixteen per replica is six replicas. Sixteen per replica is six replicas.", False),
        ("twenty tokens per second per user, twenty tokens per second for all", False),
        ("", False),
    ],
)
def test_a_loop_is_told_from_a_repetition(text: str, looped: bool) -> None:
    assert is_loop(text) is looped


def test_words_in_silence_are_not_speech() -> None:
    assert not is_speech(said(5, 8), [(0, 4)])
    assert not is_speech(said(0, 8, doubt=0.6), [(0, 1)])
    assert is_speech(said(0, 4, doubt=0.9), [(0, 4)])


def test_speech_without_words_is_found() -> None:
    segments = [said(0, 9, ("Forty", 0, 0.5), ("tokens", 0.5, 9))]
    assert missed(segments, [(0, 9)], (0, 9)) == [(1.85, 9)]
    assert missed(segments, [(0, 2)], (0, 9)) == []
    assert missed([], [(0, 2), (3, 9)], (0, 4)) == [(0, 2), (3, 4)]
