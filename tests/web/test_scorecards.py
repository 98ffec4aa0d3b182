"""A round scored again: appended, shown beside the first, and disputed where they clash."""

import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr

from interviewer.assembly import another_judge
from interviewer.events import RoundScored
from interviewer.scoring.material import Material
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.settings import Settings
from interviewer.store import EventStore
from rubrics.scorecard import Part, Scorecard
from tests.patience import wait_until
from tests.scorecards import all_parts
from tests.web.reading import text_of
from tests.web.rig import LIBRARY, Script, viva_of
from tests.web.scored import App, answered, application, asked, score, scored_events, started


@dataclass
class Kind:
    """A scorer that finds everything outstanding."""

    name: str = "judge/kind"

    async def score(self, material: Material) -> Scorecard:
        card = await RuleScorer().score(material)
        scores = tuple(score(part, 4) for part in Part)
        return card.model_copy(update={"scorer": self.name, "scores": scores, "overall": 4})


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store, scorers=(Kind(),)) as made:
        yield made


def events(app: App, path: str) -> list[str]:
    return [item["event"]["type"] for item in app.client.get(f"/api{path}/events").json()["events"]]


def test_another_scorer_adds_a_scorecard_and_replaces_none(app: App) -> None:
    path = app.add(*scored_events())
    form = {"scorer": "judge/kind", "rubric": "technical"}
    answer = app.client.post(f"{path}/scorecards", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{path}/scorecards")
    assert events(app, path).count("RoundScored") == 2
    first, second = app.client.get(f"/api{path}").json()["scorecards"]
    assert (first["scorer"], second["scorer"]) == ("rule/5", "judge/kind")


def test_another_rubric_is_the_one_that_the_scorecard_names(app: App) -> None:
    path = app.add(*scored_events())
    app.client.post(f"{path}/scorecards", data={"scorer": "judge/kind", "rubric": "behavioural"})
    assert app.client.get(f"/api{path}").json()["scorecards"][1]["rubric"] == "behavioural"


def test_both_are_shown_and_the_clash_is_called_disputed(app: App) -> None:
    kind = scored_events()[-1]
    assert isinstance(kind, RoundScored)
    scores = all_parts(score(Part.CLAIM, 3), score(Part.NUMBER, 4), score(Part.TRADEOFF, 2))
    other = kind.scorecard.model_copy(update={"scorer": "judge/kind", "scores": scores})
    path = app.add(*scored_events(), RoundScored(scorecard=other))
    text = text_of(app.client.get(f"{path}/scorecards").text)
    assert "Number: disputed. rule/5 gives 2, judge/kind gives 4." in text
    assert "Claim: disputed" not in text
    assert "Trade-off: disputed" not in text
    assert "Disputed. rule/5 gives 2" in text_of(app.client.get(f"{path}/scorecard").text)


def test_an_earlier_scorecard_has_an_address_of_its_own(app: App) -> None:
    path = app.add(*scored_events())
    app.client.post(f"{path}/scorecards", data={"scorer": "judge/kind", "rubric": "technical"})
    assert "Scored by rule/5" in app.client.get(f"{path}/scorecard?n=1").text
    assert "Scored by judge/kind" in app.client.get(f"{path}/scorecard?n=2").text
    assert app.client.get(f"{path}/scorecard?n=3").status_code == 404


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"scorer": "nobody", "rubric": "technical"}, "scorer nobody: choose one of"),
        ({"scorer": "judge/kind", "rubric": "charm"}, "rubric charm: choose one of"),
        ({"scorer": "model", "rubric": "technical"}, "model: name the model"),
        ({"scorer": "model", "rubric": "technical", "model": "m"}, "set VIVA_JUDGE"),
    ],
)
def test_what_cannot_score_is_refused_with_what_can(
    app: App, form: dict[str, str], said: str
) -> None:
    path = app.add(*scored_events())
    answer = app.client.post(f"{path}/scorecards", data=form)
    assert answer.status_code == 422
    assert said.lower() in text_of(answer.text).lower()
    assert events(app, path).count("RoundScored") == 1


def test_a_model_that_cannot_be_asked_adds_nothing_and_the_page_says_why(app: App) -> None:
    path = app.add(*scored_events())
    state = app.client.app.state  # type: ignore[attr-defined]
    settings = Settings(judge="vllm", judge_model="first", judge_base_url="http://127.0.0.1:9/v1")
    state.viva = replace(state.viva, settings=settings)
    form = {"scorer": "rule/5", "rubric": "technical", "model": "nobody"}
    answer = app.client.post(f"{path}/scorecards", data=form)
    assert answer.status_code == 303
    wait_until(lambda: "reads the round now" not in app.client.get(f"{path}/scorecards").text)
    gc.collect()  # Nobody else holds the round now.
    html = app.client.get(f"{path}/scorecards").text
    assert "Or another model" in html
    assert "judge/nobody added no scorecard." in text_of(html)
    assert "Is nobody served at the judge's address?" in text_of(html)
    assert events(app, path).count("RoundScored") == 1


def test_a_round_that_goes_on_cannot_be_scored_again(app: App) -> None:
    path = app.add(started(), asked(), answered())
    form = {"scorer": "judge/kind", "rubric": "technical"}
    assert app.client.post(f"{path}/scorecards", data=form).status_code == 409


def test_two_of_several_scorecards_are_chosen_by_number(app: App) -> None:
    path = app.add(*scored_events())
    for _ in range(2):
        app.client.post(f"{path}/scorecards", data={"scorer": "judge/kind", "rubric": "technical"})
    html = app.client.get(f"{path}/scorecards?a=2&b=3").text
    assert re.findall(r"scorecard\?n=(\d)", html) == ["2", "3"]


async def test_another_model_judges_at_the_judges_address(store: EventStore) -> None:
    settings = Settings(judge="openai", judge_model="first", judge_api_key=SecretStr("k"))
    async with another_judge(viva_of(settings, store, Script(), LIBRARY), "second") as judge:
        assert judge.name == "judge/second"


def test_another_model_is_offered_only_where_a_judge_has_an_address(app: App) -> None:
    path = app.add(*scored_events())
    assert "Or another model" not in app.client.get(f"{path}/scorecards").text
