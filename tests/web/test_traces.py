"""A simulator's trace, step by step: links, bounds, words, and what has no steps."""

from collections.abc import Iterator
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest

from interviewer.store import EventStore
from tests.web.scored import App, application
from tools.catalog import CATALOG, simulators
from web.trace_pages import STEP

RUN = urlencode({"lengths": "2,8,2,2,2,2,5,2", "slots": 4})
PATH = f"/tools/static_vs_continuous/trace?{RUN}"
NAMES = [tool.name for tool in simulators()]


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


@pytest.mark.parametrize("name", NAMES)
def test_every_simulator_can_be_walked_from_its_example(app: App, name: str) -> None:
    first = app.client.get(f"/tools/{name}/trace", follow_redirects=True)
    assert first.status_code == 200
    assert "Step 1 of " in first.text
    assert first.text.count('role="img"') == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_drawn_well_formed(name: str) -> None:
    tool = CATALOG[name]
    result = tool.call(tool.example)
    for index in range(len(result.trace)):
        ElementTree.fromstring(tool.step_figure(result, index) or "")


def test_no_tool_has_an_argument_with_the_name_of_the_step() -> None:
    assert [tool.name for tool in CATALOG.values() if STEP in tool.input_model.model_fields] == []


def test_the_links_lead_to_the_neighbours_and_the_ends(app: App) -> None:
    text = app.client.get(f"{PATH}&step=4").text
    links = [f'href="?{RUN.replace("&", "&amp;")}&amp;step={step}"' for step in (1, 3, 5, 13)]
    assert all(link in text for link in links)


def test_the_ends_have_no_link_beyond_them(app: App) -> None:
    assert app.client.get(f"{PATH}&step=1").text.count('class="button none"') == 2
    assert app.client.get(f"{PATH}&step=13").text.count('class="button none"') == 2


@pytest.mark.parametrize(("step", "shown"), [("0", 1), ("-3", 1), ("x", 1), ("", 1), ("999", 13)])
def test_a_step_that_is_none_becomes_the_nearest(app: App, step: str, shown: int) -> None:
    assert f"Step {shown} of 13" in app.client.get(f"{PATH}&step={step}").text


def test_the_step_is_said_in_words_too(app: App) -> None:
    text = app.client.get(f"{PATH}&step=5").text
    assert "Busy slots" in text
    assert "R2 (token of this iteration)" in text


def test_all_steps_are_there_as_json(app: App) -> None:
    steps = app.client.get(f"/tools/static_vs_continuous/trace.json?{RUN}").json()["steps"]
    assert len(steps) == 13


def test_a_bad_argument_leads_to_the_tools_page_which_explains_it(app: App) -> None:
    answer = app.client.get("/tools/static_vs_continuous/trace?lengths=2,8&slots=0&step=2")
    assert answer.status_code == 303
    assert 'id="slots-fault"' in app.client.get(answer.headers["location"]).text


def test_a_calculator_has_no_steps(app: App) -> None:
    answer = app.client.get("/tools/stats/trace?successes=8&trials=11")
    assert answer.status_code == 404
    assert "no steps to walk through" in answer.text


def test_the_tools_page_leads_to_its_steps(app: App) -> None:
    text = app.client.get(f"/tools/static_vs_continuous?{RUN}").text
    assert "/tools/static_vs_continuous/trace?lengths=" in text
