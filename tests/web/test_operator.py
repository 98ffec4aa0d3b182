"""The operator's page: with a model's turns, without a model, and with a server that is down."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from interviewer.events import InterviewerSpoke, Recorded, StatementDropped, Usage
from interviewer.models.load import load_of
from interviewer.settings import Settings
from interviewer.store import EventStore
from tests.interviewer.models.test_metrics import TEXT
from tests.web.rig import LIBRARY, Script, viva_of
from tests.web.scored import App, application, asked, started
from web.app import create_app
from web.views.operator import load_rows, spoken_turns

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
USAGE = Usage(
    prompt_tokens=3_200, completion_tokens=40, cached_tokens=3_040, first_token_s=0.2, total_s=1.5
)
SPOKE = InterviewerSpoke(text="Which number?", purpose="probe", speaker="m-1", usage=USAGE)
DROPPED = StatementDropped(text="Great.", quantity="", retried=False, reason="manner")


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def test_without_a_model_the_page_says_so(app: App) -> None:
    html = app.client.get("/operator").text
    assert "No model is set" in html
    assert "No model has spoken" in html


def test_a_turn_is_shown_with_its_times_and_its_cached_share(app: App) -> None:
    path = app.add(started(), asked(), SPOKE)
    html = app.client.get("/operator").text
    assert f'href="{path}"' in html
    for shown in ("0.20 s", "1.50 s", "3,200", "95%", "40"):
        assert f'<td class="num">{shown}</td>' in html


def test_sentences_that_were_left_out_count_for_their_own_turn() -> None:
    log = [
        Recorded(seq=seq, at=AT.replace(minute=seq), event=event)
        for seq, event in enumerate((DROPPED, DROPPED, SPOKE, DROPPED, SPOKE), start=1)
    ]
    assert [turn.dropped for turn in spoken_turns([("r1", log)])] == [1, 2]


def test_what_nobody_counted_is_left_empty() -> None:
    bare = SPOKE.model_copy(update={"usage": Usage(prompt_tokens=9)})
    (turn,) = spoken_turns([("r1", [Recorded(seq=1, at=AT, event=bare)])])
    assert (turn.cached, turn.first_word) == ("", "")


def test_the_load_is_told_in_words() -> None:
    rows = {row.label: row.value for row in load_rows(load_of(TEXT))}
    assert rows["Requests running"] == "3"
    assert rows["Prompt tokens from the prefix cache"] == "90%"
    assert rows["Time to first token, half of the requests"] == "below 0.1 s"
    assert rows["Requests waiting"] == "not told"


def test_findings_that_cannot_be_read_are_no_fault_of_the_store(
    store: EventStore, tmp_path: Path
) -> None:
    broken = tmp_path / "checks.json"
    broken.write_text("no JSON")
    settings = Settings(
        hosts=("testserver",),
        llm="vllm",
        llm_base_url="http://127.0.0.1:1/v1",
        llm_model="m",
        checks=broken,
    )
    viva = viva_of(settings, store, Script(), LIBRARY)
    with TestClient(create_app(settings, viva)) as client:
        answer = client.get("/operator", headers={"accept": "text/html"})
    assert answer.status_code == 503
    assert "delete it, and run `viva model check` again" in answer.text
    assert "store" not in answer.text.partition("<main")[2]
