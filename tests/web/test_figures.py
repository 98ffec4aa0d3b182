"""The live figures: each under its defaults, its URL as state, and the numbers of the source."""

import csv
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from interviewer.store import EventStore
from tests.web.scored import App, application
from web.figures.controls import Choice, Slider, read
from web.figures.figure import Shown
from web.figures.gallery import FIGURES


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def show(slug: str, **given: str) -> Shown:
    figure = FIGURES[slug]
    settings, faults = read(figure.controls, given)
    assert faults == {}
    return figure.show(settings)


def numbers(shown: Shown) -> list[float]:
    return [number.value for number in shown.numbers]


@pytest.mark.parametrize("slug", FIGURES)
def test_a_figure_has_two_drawings_a_table_and_a_form(app: App, slug: str) -> None:
    answer = app.client.get(f"/figures/{slug}")
    assert answer.status_code == 200
    assert answer.text.count('role="img"') == 2
    assert "<table>" in answer.text
    assert '<form method="get"' in answer.text


@pytest.mark.parametrize("slug", FIGURES)
def test_a_drawing_is_well_formed_named_and_without_style_or_script(slug: str) -> None:
    for drawing in show(slug).drawings():
        root = ElementTree.fromstring(drawing)
        assert [child.tag.rpartition("}")[2] for child in root[:2]] == ["title", "desc"]
        assert root.get("role") == "img"
        assert not re.search(r"style=|<script|\bon\w+=|href=", drawing)


@pytest.mark.parametrize("slug", FIGURES)
def test_a_drawing_stays_within_its_width(slug: str) -> None:
    for drawing in show(slug).drawings():
        root = ElementTree.fromstring(drawing)
        width = float(str(root.get("viewBox")).split()[2])
        boxes = [e for e in root.iter() if e.tag.endswith("rect")]
        assert all(float(b.get("x", 0)) + float(b.get("width", 0)) <= width for b in boxes)


@pytest.mark.parametrize("slug", FIGURES)
def test_no_two_columns_of_a_table_have_the_same_name(slug: str) -> None:
    shown = show(slug)
    assert len(set(shown.columns)) == len(shown.columns)
    assert all(len(row) == len(shown.columns) for row in shown.rows)


@pytest.mark.parametrize("slug", FIGURES)
def test_the_same_address_gives_json_and_csv(app: App, slug: str) -> None:
    data = app.client.get(f"/figures/{slug}.json").json()
    rows = list(csv.DictReader(io.StringIO(app.client.get(f"/figures/{slug}.csv").text)))
    assert data["figure"] == slug
    assert len(rows) == len(data["rows"])
    assert all(number["unit"] for number in data["numbers"])


@pytest.mark.parametrize("slug", FIGURES)
def test_both_ends_of_every_slider_can_be_shown(slug: str) -> None:
    for control in FIGURES[slug].controls:
        ends = (control.low, control.high) if isinstance(control, Slider) else ()
        for end in ends:
            assert all(show(slug, **{control.name: str(end)}).drawings())


@pytest.mark.parametrize("slug", FIGURES)
def test_every_choice_can_be_shown(slug: str) -> None:
    for control in FIGURES[slug].controls:
        for value, _ in control.options if isinstance(control, Choice) else ():
            assert all(show(slug, **{control.name: value}).drawings())


def test_the_form_shows_the_settings_of_the_address(app: App) -> None:
    text = app.client.get("/figures/decode-step?batch=33&kv=fp8").text
    assert 'value="33"' in text
    assert re.search(r'value="fp8" checked', text)


@pytest.mark.parametrize(
    "bad", ["batch=0", "batch=1e3", "batch=-5", "kv=fp9", "batch=999999999999"]
)
def test_a_bad_setting_is_named_beside_its_control(app: App, bad: str) -> None:
    answer = app.client.get(f"/figures/decode-step?{bad}")
    assert answer.status_code == 422
    assert f'id="{bad.partition("=")[0]}-fault"' in answer.text
    assert app.client.get(f"/figures/decode-step.json?{bad}").status_code == 422


def test_an_unknown_setting_is_named(app: App) -> None:
    answer = app.client.get("/figures/decode-step?<b>=1")
    assert answer.status_code == 422
    assert "&lt;b&gt; is no setting of this figure" in answer.text


def test_an_unknown_figure_is_a_404_page(app: App) -> None:
    assert app.client.get("/figures/crystal-ball").status_code == 404


def test_a_decode_step_rises_with_the_batch_as_the_source_says() -> None:
    # 15.1 ms and 66 tokens/s at batch 1, 25.8 ms, 39 and 776 tokens/s at 20, all at 8K.
    assert numbers(show("decode-step", batch="1"))[:2] == pytest.approx([15.1, 66], rel=0.01)
    assert numbers(show("decode-step"))[:3] == pytest.approx([25.8, 39, 776], rel=0.01)


def test_at_21_sequences_the_cache_no_longer_fits() -> None:
    assert show("decode-step", batch="20").warning == ""
    assert "does not fit" in show("decode-step", batch="21").warning


def test_with_a_small_fp8_cache_arithmetic_overtakes_reading_at_about_140() -> None:
    at = {"kv": "fp8", "context": "1024"}
    assert "Reading sets the pace" in show("decode-step", batch="120", **at).said
    assert "Arithmetic sets the pace" in show("decode-step", batch="145", **at).said


def test_continuous_batching_saves_five_iterations() -> None:
    assert numbers(show("batching-slots"))[::2] == [13, 8]


def test_the_short_fourth_request_holds_its_slot_for_six_more() -> None:
    data = show("batching-slots")
    fourth = {name: data.rows[3][place] for place, name in enumerate(data.columns)}
    assert (fourth["static done"], data.rows[4][data.columns.index("static from")]) == (2, 8)


def test_a_step_beyond_the_end_is_the_last(app: App) -> None:
    text = app.client.get("/figures/batching-slots?step=200").text
    assert "Step 13 of 13" in text


def test_the_steps_are_links_that_keep_the_other_settings(app: App) -> None:
    text = app.client.get("/figures/batching-slots?step=3&slots=2").text
    assert 'href="?step=4&amp;slots=2' in text
    assert 'href="?step=2&amp;slots=2' in text


@pytest.mark.parametrize("lengths", ["1,x", "0", "21", ",", "1," * 20])
def test_lengths_that_are_none_are_refused(app: App, lengths: str) -> None:
    answer = app.client.get("/figures/batching-slots", params={"lengths": lengths})
    assert answer.status_code == 422


def test_a_small_budget_shortens_the_gap_and_delays_the_first_token() -> None:
    gap, chunked_gap, first, chunked_first = numbers(show("chunked-prefill"))
    assert chunked_gap < gap / 3
    assert chunked_first > first


def test_the_capacity_is_the_sources() -> None:
    # 20.4 sequences of 8K in BF16, twice that in FP8; DeepSeek-V3 about 95, gpt-oss-120b about 178.
    assert numbers(show("kv-capacity"))[0] == pytest.approx(20.4, abs=0.05)
    assert numbers(show("kv-capacity", kv="fp8"))[0] == pytest.approx(40.8, abs=0.05)
    assert numbers(show("kv-capacity", model="DeepSeek-V3"))[0] == pytest.approx(95, abs=0.5)
    assert numbers(show("kv-capacity", model="gpt-oss-120b"))[0] == pytest.approx(178, abs=0.5)


def test_four_generations_fall_437_times_in_the_charts_steps() -> None:
    shown = show("kv-generations")
    assert numbers(shown)[0] == pytest.approx(437, abs=0.5)
    assert [row[3] for row in shown.rows[1:]] == pytest.approx([8.1, 13.7, 3.9], rel=0.01)


def test_the_intervals_are_the_sources() -> None:
    rows = [(row[3], row[5]) for row in show("wilson-intervals").rows]
    assert rows == [
        pytest.approx((43.4, 90.3), abs=0.05),
        pytest.approx((35.4, 87.9), abs=0.05),
        pytest.approx((8.9, 53.2), abs=0.05),
    ]


def test_verbatim_and_custom_part_at_twice_the_interviews_and_the_others_overlap_at_ten() -> None:
    assert numbers(show("wilson-intervals", times="1"))[0] < 0
    assert numbers(show("wilson-intervals", times="2"))[0] > 0
    assert numbers(show("wilson-intervals", times="10"))[1] < 0


def test_a_loop_is_shown_beside_the_composite() -> None:
    shown = show("company-loops", company="sierra")
    assert {row[0] for row in shown.rows} == {"Sierra", "Prep sites"}


def test_the_map_is_filtered_by_match() -> None:
    shown = show("question-map", match="no_source")
    assert [row[0] for row in shown.rows] == ["Q15", "Q21", "Q30"]


def test_only_questions_with_a_card_are_linked(app: App) -> None:
    text = app.client.get("/figures/question-map").text
    links = re.findall(r'href="(/questions/[^"]+)"', text)
    assert "/questions/FDE-01" in links
    assert all(app.client.get(link).status_code == 200 for link in links)


def test_the_capital_adds_up_step_by_step() -> None:
    totals = [numbers(show("capital-timeline", step=str(step)))[0] for step in range(5)]
    assert totals == [0, 1.5, 5.5, 6.5, 9.0]


def test_the_list_of_figures_leads_to_each(app: App) -> None:
    text = app.client.get("/figures").text
    assert all(f'href="/figures/{slug}"' in text for slug in FIGURES)


def test_links_keep_the_sub_path(store: EventStore) -> None:
    with application(store, root_path="/viva") as app:
        assert (
            '"/viva/figures/decode-step.json?' in app.client.get("/viva/figures/decode-step").text
        )
