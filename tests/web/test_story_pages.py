"""The bank of stories as pages: writing, covering, rehearsing, and a telling side by side."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from interviewer.llm.scripted import ScriptedLLM
from interviewer.session import RoundSession
from interviewer.store import EventStore
from tests.patience import wait_until
from tests.web.scored import App, application, scored_events
from web import tellings

STORY = {
    "title": "Routing tickets",
    "role": "lead engineer",
    "situation": "A bank with 160 support agents asked us to route its tickets.",
    "action": "I measured a routing accuracy of 91 percent.",
    "leave_out": "Contoso, Priya",
    "covers": "BEH-FAIL",
}


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def write(app: App, **changes: str) -> str:
    """The path of a story that was kept."""
    answer = app.client.post("/stories/new", data=STORY | changes)
    assert answer.status_code == 303
    return str(answer.headers["location"])


def tell(app: App, path: str, text: str, card: str = "BEH-FAIL") -> str:
    """Rehearse the story with one answer; the path of the telling."""
    at = app.client.post(f"{path}/rehearse", data={"card": card}).headers["location"]
    app.client.post(at, data={"client_id": "a", "act": "say", "text": text})
    app.client.post(at, data={"client_id": "f", "act": "finish"})
    return f"{path}/tellings/{at.rpartition('/')[2]}"


def test_a_story_comes_back_as_it_was_written(app: App) -> None:
    html = app.client.get(write(app)).text
    assert STORY["situation"] in html
    assert 'value="Contoso, Priya"' in html
    assert 'value="BEH-FAIL" checked' in html


def test_a_story_without_title_or_action_is_refused_with_the_draft_kept(app: App) -> None:
    answer = app.client.post("/stories/new", data=STORY | {"title": " ", "action": ""})
    assert answer.status_code == 422
    assert "Give the story a title to find it by." in answer.text
    assert "Say what you did;" in answer.text
    assert STORY["situation"] in answer.text
    assert 'id="action" name="action" rows="3" aria-invalid="true"' in answer.text


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"situation": "x" * 4001}, "4,001 characters; shorten it to 4,000"),
        ({"leave_out": ",".join(f"n{n}" for n in range(50))}, "50 names; keep to 40"),
        ({"covers": "NOPE"}, "No card &#39;NOPE&#39;"),
    ],
)
def test_what_is_too_much_is_told_by_its_field(
    app: App, changes: dict[str, str], fault: str
) -> None:
    answer = app.client.post("/stories/new", data=STORY | changes)
    assert answer.status_code == 422
    assert fault in answer.text


def test_the_bank_says_which_questions_no_story_covers(app: App) -> None:
    before = app.client.get("/stories").text
    write(app)
    after = app.client.get("/stories").text
    assert before.count("<strong>no story</strong>") == after.count("<strong>no story</strong>") + 1


def test_a_telling_that_agrees_says_so(app: App) -> None:
    telling = tell(app, write(app), "A bank with 160 support agents asked us to route tickets.")
    html = app.client.get(telling).text
    assert "Nothing was found in this telling that contradicts the story." in html
    assert "no judge is set up" in html


def test_a_contradiction_stands_side_by_side_with_the_story(app: App) -> None:
    path = write(app)
    telling = tell(app, path, "A bank with 180 support agents asked us to route its tickets.")
    html = app.client.get(telling).text
    assert "Another number" in html
    assert '<strong dir="auto">180</strong>' in html
    assert '<strong dir="auto">160</strong>' in html


def test_a_second_telling_is_held_against_the_first(app: App) -> None:
    path = write(app)
    tell(app, path, "We gave the bank 40 training sessions on ticket routing.")
    second = tell(
        app, path, "The bank got 60 training sessions on ticket routing.", card="BEH-CONFLICT"
    )
    html = app.client.get(second).text
    assert "an earlier telling" in html
    assert '<strong dir="auto">40</strong>' in html


def test_no_more_earlier_tellings_are_opened_than_are_compared(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(app)
    told = [tell(app, path, f"A bank with {n} support agents asked us.") for n in (160, 170, 180)]
    opened: list[str] = []
    rounds = app.client.app.state.viva.rounds  # type: ignore[attr-defined]
    find = rounds.open

    async def noted(round_id: str) -> RoundSession:
        opened.append(round_id)
        session: RoundSession = await find(round_id)
        return session

    monkeypatch.setattr(tellings, "MOST_EARLIER", 1)
    monkeypatch.setattr(rounds, "open", noted)
    app.client.get(told[2])
    assert opened == [telling.rpartition("/")[2] for telling in (told[2], told[1])]


def scorecard_of(app: App, telling: str) -> str:
    return app.client.get(f"/rounds/{telling.rpartition('/')[2]}/scorecard").text


def test_the_scorecard_itself_shows_what_contradicts(app: App) -> None:
    telling = tell(app, write(app), "A bank with 180 support agents asked us to route its tickets.")
    html = scorecard_of(app, telling)
    assert "1 statement to look at beside your story" in html
    assert '<strong dir="auto">180</strong>' in html
    assert '<strong dir="auto">160</strong>' in html
    assert f'href="{telling}"' in html


def test_a_scorecard_without_a_story_says_nothing_of_one(app: App) -> None:
    path = app.add(*scored_events())
    assert "Beside your story" not in app.client.get(f"{path}/scorecard").text


def judged(app: App, *replies: str) -> None:
    """Give the running server a judge that says these, one after the other."""
    state = app.client.app.state  # type: ignore[attr-defined]
    state.viva = replace(state.viva, judges=(ScriptedLLM(*replies, name="j"),))


def looked_at(app: App, telling: str) -> str:
    """The page of the telling once the judge is done."""
    wait_until(lambda: "reads this telling now" not in app.client.get(telling).text)
    return app.client.get(telling).text


FOUND = json.dumps(
    {
        "contradictions": [
            {
                "telling_quote": "Nobody measured it.",
                "story_quote": "I measured a routing accuracy of 91 percent.",
            }
        ]
    }
)


def test_the_judge_looks_by_itself_once_and_what_it_found_is_kept(app: App) -> None:
    telling = tell(app, write(app), "A bank asked us to route its tickets. Nobody measured it.")
    judged(app, FOUND)
    scorecard_of(app, telling)
    html = looked_at(app, telling)
    assert "judge/j looked for the rest." in html
    assert '<strong dir="auto">Nobody measured it.</strong>' in html
    # It has nothing more to say: a second request would fail, and be told.
    assert "1 statement to look at" in scorecard_of(app, telling)
    assert "Only the code looked" not in looked_at(app, telling)


def test_the_judge_looks_again_when_told_and_a_failure_is_said(app: App) -> None:
    telling = tell(app, write(app), "A bank asked us to route its tickets. Nobody measured it.")
    judged(app, "no JSON", FOUND)
    scorecard_of(app, telling)
    assert "Only the code looked: the judge" in looked_at(app, telling)
    assert app.client.post(telling).status_code == 303
    assert "judge/j looked for the rest." in looked_at(app, telling)


def test_a_round_of_another_story_is_not_shown_under_this_one(app: App) -> None:
    first, second = write(app), write(app, title="Another")
    telling = tell(app, first, "I built it.")
    assert app.client.get(telling.replace(first, second)).status_code == 404


def test_a_story_that_was_taken_out_is_not_listed(app: App) -> None:
    path = write(app)
    app.client.post(f"{path}/remove")
    assert path not in app.client.get("/stories").text


def test_hostile_text_in_a_story_stays_text(app: App) -> None:
    path = write(app, title="<script>alert(1)</script>", action="</textarea><b>x")
    for page in (path, "/stories"):
        html = app.client.get(page).text
        assert "<script>alert" not in html
        assert "</textarea><b>" not in html


@pytest.mark.parametrize("path", ["/stories/nope", "/stories/nope/tellings/nope"])
def test_an_unknown_story_is_a_404_page(app: App, path: str) -> None:
    assert app.client.get(path).status_code == 404
