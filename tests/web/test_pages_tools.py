"""The tools' pages: a form whose address is its whole state, as HTML, JSON and CSV."""

import csv
import io
import json
from collections.abc import Iterator

import pytest

from interviewer.store import EventStore
from tests.web.scored import App, application
from tools.catalog import CATALOG

QUERY = "model=Llama-3.3-70B&gpu=H200&weight_dtype=fp8&weights_gb=70&batch=1&context=0"


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


@pytest.mark.parametrize("name", CATALOG)
def test_every_tool_has_a_form_filled_with_an_example_that_works(app: App, name: str) -> None:
    assert app.client.get(f"/tools/{name}").status_code == 200
    example = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in CATALOG[name].example.items()
    }
    answer = app.client.get(f"/tools/{name}", params=example)
    assert answer.status_code == 200
    assert "Source:" in answer.text


def test_the_floor_of_a_decode_step_is_shown(app: App) -> None:
    # 70 GB / 4.8 TB/s, computed by hand.
    assert "14.5833" in app.client.get(f"/tools/decode_roofline?{QUERY}").text


def test_the_same_address_as_json_holds_the_whole_result(app: App) -> None:
    result = app.client.get(f"/tools/decode_roofline.json?{QUERY}").json()
    assert result["value"] == pytest.approx(14.583, abs=0.001)
    assert result["unit"] == "ms"
    assert result["formula"]


def test_the_same_address_as_csv_holds_the_table(app: App) -> None:
    answer = app.client.get(f"/tools/decode_roofline.csv?{QUERY}")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(rows) > 3


def test_a_bad_argument_is_explained_beside_its_field(app: App) -> None:
    answer = app.client.get(f"/tools/decode_roofline?{QUERY}&batch=-1")
    assert answer.status_code == 422
    assert 'id="batch-fault"' in answer.text
    assert 'value="-1"' in answer.text


def test_the_fault_of_a_field_does_not_say_its_description_twice(app: App) -> None:
    html = app.client.get("/tools/kv_cache?model=Llama-3.3-70B&tokens=abc").text
    assert 'id="tokens-fault">Should be a whole number.</p>' in html


def test_an_unknown_argument_is_refused_by_name(app: App) -> None:
    answer = app.client.get(f"/tools/decode_roofline?{QUERY}&gpuu=H200")
    assert answer.status_code == 422
    assert "gpuu" in answer.text


def test_a_bad_argument_in_json_names_field_and_remedy(app: App) -> None:
    answer = app.client.get("/tools/decode_roofline.json?batch=many")
    assert answer.status_code == 422
    assert answer.json()["error"]["field"]


def test_an_unknown_tool_is_a_404_page(app: App) -> None:
    assert app.client.get("/tools/crystal_ball").status_code == 404
