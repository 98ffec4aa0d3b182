"""Figures are well-formed, named SVG without script or style, and say their numbers in words."""

from xml.etree import ElementTree

import pytest

from tools.catalog import CATALOG
from tools.figure import Drawing, Series, draw
from tools.registry import Tool
from tools.result import Result
from tools.scale import Scale, linear

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = [tool for tool in CATALOG.values() if tool.drawing]


def parsed(tool: Tool) -> ElementTree.Element:
    return ElementTree.fromstring(tool.figure(tool.call(tool.example)) or "")


def result(*rows: dict[str, object]) -> Result:
    fields = {"tool": "t", "value": 1, "unit": "x", "label": "l", "formula": "f", "source": "s"}
    return Result.model_validate({**fields, "inputs": {}, "measures": {}, "table": rows})


BARS = Drawing("bars", "Title", "n", "things", "ms", (Series("a", "first"), Series("b", "second")))


def test_every_tool_of_the_catalogue_draws_its_table() -> None:
    assert list(CATALOG.values()) == DRAWN


@pytest.mark.parametrize("tool", DRAWN, ids=lambda tool: tool.name)
def test_a_figure_has_role_title_and_description(tool: Tool) -> None:
    root = parsed(tool)
    assert root.get("role") == "img"
    named = (root.get("aria-labelledby") or "").split()
    assert named == [root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")]  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", DRAWN, ids=lambda tool: tool.name)
def test_a_figure_has_no_script_style_or_handler(tool: Tool) -> None:
    for node in parsed(tool).iter():
        assert node.tag not in (f"{SVG}script", f"{SVG}style", f"{SVG}foreignObject")
        assert not [name for name in node.keys() if name == "style" or name.startswith("on")]  # noqa: SIM118


@pytest.mark.parametrize("tool", DRAWN, ids=lambda tool: tool.name)
def test_the_same_result_gives_the_same_figure(tool: Tool) -> None:
    assert tool.figure(tool.call(tool.example)) == tool.figure(tool.call(tool.example))


def test_bars_are_stacked_in_proportion() -> None:
    root = ElementTree.fromstring(draw(result({"n": 1, "a": 30, "b": 10}), BARS))
    bars = [
        float(r.get("height") or 0) for r in root.iter(f"{SVG}rect") if r.get("width") != "10.0"
    ]
    assert bars[0] == pytest.approx(3 * bars[1], rel=0.01)


def test_a_bar_below_zero_hangs_from_the_axis() -> None:
    text = draw(result({"n": 1, "a": 10}, {"n": 2, "a": -30}), BARS)
    bars = [r for r in ElementTree.fromstring(text).iter(f"{SVG}rect") if r.get("width") != "10.0"]
    (up, tall), (down, deep) = [(float(r.get("y") or 0), float(r.get("height") or 0)) for r in bars]
    assert down == pytest.approx(up + tall, abs=0.2)
    assert deep == pytest.approx(3 * tall, rel=0.01)


def test_words_of_a_table_are_escaped() -> None:
    hostile = '<script>alert("x")</script>'
    text = draw(result({"n": hostile, "a": 1, "b": 2}), BARS)
    assert "<script" not in text
    assert ElementTree.fromstring(text) is not None


def test_rows_without_numbers_are_left_out() -> None:
    text = draw(result({"n": 1, "a": 1, "b": 2}, {"n": 2, "a": None, "b": "x"}), BARS)
    assert len([r for r in ElementTree.fromstring(text).iter(f"{SVG}rect")]) == 2 + 2


def test_a_series_that_the_table_lacks_is_left_out() -> None:
    assert "second" not in draw(result({"n": 1, "a": 1}), BARS)


def test_a_table_without_numbers_is_not_drawn() -> None:
    assert draw(result({"n": 1}), BARS) == ""


def test_an_axis_ends_at_a_round_value_over_the_highest() -> None:
    assert linear(86.4, 0, 100).high == 100


def test_a_logarithmic_axis_has_ticks_at_powers_of_ten() -> None:
    assert Scale(0.3, 45, 0, 100, log=True).ticks() == [1.0, 10.0]
