"""The subset of YAML that cards are written in."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.front_matter import MAX_DEPTH, Malformed, read


def fault(text: str) -> Malformed:
    with pytest.raises(Malformed) as caught:
        read(text)
    return caught.value


def test_plain_values_follow_the_core_schema() -> None:
    value, _ = read("{a: 1, b: 1.5e3, c: true, d: null, e: no, f: 1:30, g: '7', h: 2026-10-07}")
    assert value == {
        "a": 1, "b": 1500.0, "c": True, "d": None, "e": "no", "f": "1:30", "g": "7",
        "h": "2026-10-07",
    }  # fmt: skip


def test_the_line_of_a_value_counts_from_the_file() -> None:
    _, lines = read("a: 1\nb:\n  - c: 2\n", first_line=2)
    assert lines.of(("b", 0, "c")) == 4


def test_the_line_of_an_absent_value_is_that_of_what_is_around_it() -> None:
    _, lines = read("a: 1\nb:\n  - c: 2\n")
    assert lines.of(("b", 0, "missing")) == 3


def test_a_key_twice_is_refused() -> None:
    error = fault("a: 1\nb: 2\na: 3\n")
    assert (error.line, str(error)) == (3, "a: given twice in one mapping; keep one")


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{i}: [*a, *a]\n" for i in range(30))
    assert "anchors and aliases" in str(fault(bomb))


@pytest.mark.parametrize("text", ["a: !!python/object:os.system x", "a: !include y", "!x [a]"])
def test_tags_are_refused(text: str) -> None:
    assert "not accepted" in str(fault(text))


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert f"deeper than {MAX_DEPTH}" in str(fault(opening * 500))


@pytest.mark.parametrize(
    "text", ["a: [1", "a: 'x", "\t- a", "a: b: c", "? [a]\n: 1", "- a\n---\n- b", "", "a: \x07"]
)
def test_what_is_not_one_plain_document_is_refused(text: str) -> None:
    assert fault(text).line >= 1


def test_an_integer_of_a_million_digits_is_refused() -> None:
    assert fault("a: " + "9" * 1_000_000).line == 1


YAML = st.text(alphabet=st.sampled_from("ab1.-:{}[],&*!|>%@`'\"#?~\n\t \u00e9\u2028"), max_size=60)


@given(st.one_of(YAML, st.text(max_size=60)))
def test_any_text_is_read_or_refused_with_a_line(text: str) -> None:
    with suppress(Malformed):
        value, lines = read(text)
        assert lines.of(()) >= 1
        assert value is None or isinstance(value, bool | int | float | str | list | dict)
