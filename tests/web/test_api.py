"""The JSON API: the same verbs as the socket, with the same answers."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from interviewer.errors import InterviewerError, LLMError, StoreUnavailable
from interviewer.settings import Settings
from interviewer.store import EventStore
from tests.patience import wait_until
from tests.web.rig import CARD, LIBRARY, Script, viva_of
from tools.catalog import CATALOG
from web.app import create_app
from web.wire import ANSWERS, answer


@pytest.fixture
def client(store: EventStore) -> Iterator[TestClient]:
    settings = Settings(hosts=("testserver",))
    app = create_app(settings, viva_of(settings, store, Script(), LIBRARY))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def asked(client: TestClient) -> str:
    """The path of a round whose first question stands."""
    path = f"/api/rounds/{client.post('/api/rounds', json={'card': CARD}).json()['id']}"
    settled(client, path)
    return path


def settled(client: TestClient, path: str) -> dict[str, Any]:
    """The round once it is the candidate's move, or over."""
    wait_until(lambda: client.get(path).json()["status"] in ("listening", "over"))
    view: dict[str, Any] = client.get(path).json()
    return view


def test_a_round_begins_with_its_question(client: TestClient, asked: str) -> None:
    view = client.get(asked).json()
    assert (view["card"], view["status"], view["head"]) == (CARD, "listening", 2)
    assert view["turns"][0]["speaker"] == "interviewer"
    assert view["clock"]["limit_s"] == 180
    assert view["given"] == list(LIBRARY.get(CARD).scenario) != []


def test_a_whole_round_over_http(client: TestClient, asked: str) -> None:
    assert client.post(f"{asked}/think", json={"id": "t"}).json() == {"seq": 3}
    assert client.post(f"{asked}/say", json={"id": "a", "text": "An answer."}).json()["seq"] == 4
    settled(client, asked)
    assert client.post(f"{asked}/move_on", json={"id": "m"}).status_code == 200
    view = settled(client, asked)
    assert view["status"] == "over"
    assert view["scorecards"][0]["scorer"] == "rule/5"


def test_finish_ends_and_scores(client: TestClient, asked: str) -> None:
    client.post(f"{asked}/finish", json={"id": "f"})
    assert settled(client, asked)["status"] == "over"


def test_stop_where_nobody_speaks_changes_nothing(client: TestClient, asked: str) -> None:
    assert client.post(f"{asked}/stop").json()["head"] == 2


def test_a_drill_asks_for_one_part(client: TestClient) -> None:
    view = client.post("/api/rounds", json={"card": CARD, "part": "tradeoff"}).json()
    assert view["part"] == "tradeoff"


def test_rounds_are_listed_the_newest_first(client: TestClient, asked: str) -> None:
    newer = client.post("/api/rounds", json={"card": CARD}).json()["id"]
    lines = client.get("/api/rounds").json()
    assert [line["id"] for line in lines] == [newer, asked.rpartition("/")[2]]
    assert client.get("/api/rounds", params={"limit": 1, "offset": 5}).json() == []


def test_events_after_a_cursor(client: TestClient, asked: str) -> None:
    answer = client.get(f"{asked}/events", params={"after": 1}).json()
    assert answer["head"] == 2
    assert [item["seq"] for item in answer["events"]] == [2]
    assert answer["events"][0]["event"]["type"] == "InterviewerSpoke"


def test_fault_01_a_resend_over_http_is_the_same(client: TestClient, asked: str) -> None:
    body = {"id": "a", "text": "An answer."}
    first = client.post(f"{asked}/say", json=body).json()
    assert client.post(f"{asked}/say", json=body).json() == first


def test_fault_02_a_conflict_over_http(client: TestClient, asked: str) -> None:
    client.post(f"{asked}/say", json={"id": "a", "text": "An answer."})
    answer = client.post(f"{asked}/say", json={"id": "a", "text": "Another."})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflicting_resend")


def test_an_answer_after_the_end_is_refused(client: TestClient, asked: str) -> None:
    client.post(f"{asked}/finish", json={"id": "f"})
    settled(client, asked)
    answer = client.post(f"{asked}/say", json={"id": "a", "text": "Too late."})
    assert (answer.status_code, answer.json()["code"]) == (409, "round_over")


def test_an_answer_over_the_limit_is_refused(client: TestClient, asked: str) -> None:
    answer = client.post(f"{asked}/say", json={"id": "a", "text": "a" * 20_001})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_long")


@pytest.mark.parametrize("path", ["nope", "%00", "..", "a%2fb"])
def test_an_unknown_round_is_404(client: TestClient, path: str) -> None:
    assert client.get(f"/api/rounds/{path}").status_code == 404


def test_an_unknown_card_is_404_and_names_near_ones(client: TestClient) -> None:
    answer = client.post("/api/rounds", json={"card": "INF-01"})
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_card")
    assert "INF-0" in answer.json()["message"]


STRANGE = {
    "NaN": b'{"card": NaN}',
    "a number beyond floats": b'{"card": 1e999}',
    "a lone surrogate": b'{"card": "\\ud800"}',
    "invalid UTF-8": b'{"card": "\xff"}',
    "5,000 digits": b'{"card": ' + b"1" * 5000 + b"}",
    "100,000 levels": b"[" * 100_000 + b"]" * 100_000,
    "no object": b"[]",
    "nothing": b"",
    "not JSON": b"{",
    "an unknown field": b'{"card": "INF-001", "model": "mine"}',
    "an unknown part": b'{"card": "INF-001", "part": "charm"}',
    "another model": b'{"card": "INF-001", "interviewer": "gpt"}',
}


@pytest.mark.parametrize("body", STRANGE.values(), ids=STRANGE)
def test_fault_18_strange_json_is_422(client: TestClient, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/api/rounds", content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["message"]


def test_fault_18_a_nul_over_http_is_refused(client: TestClient, asked: str) -> None:
    answer = client.post(f"{asked}/say", json={"id": "a", "text": "a\0b"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_text")


def test_an_error_echoes_no_input(client: TestClient) -> None:
    answer = client.post("/api/rounds", json={"card": ["<script>alert(1)</script>"]})
    assert "script" not in answer.text


def test_questions_are_listed_without_their_answers(client: TestClient) -> None:
    cards = client.get("/api/questions").json()
    assert [card["id"] for card in cards] == [card.id for card in LIBRARY.cards]
    assert "model_answer" not in cards[0]


def test_tools_are_listed_with_their_schema(client: TestClient) -> None:
    tools = {tool["name"]: tool for tool in client.get("/api/tools").json()}
    assert tools["kv_cache"]["arguments"]["type"] == "object"


def test_a_tool_computes(client: TestClient) -> None:
    # 80 layers x 8 KV heads x 128 x 2 (K and V) x 2 bytes = 327,680 B a token.
    answer = client.post("/api/tools/kv_cache", json={"model": "llama-3.3-70b"})
    assert answer.status_code == 200
    assert any(measure["value"] == 327_680 for measure in answer.json()["measures"].values())


def test_a_bad_argument_names_field_value_and_remedy(client: TestClient) -> None:
    answer = client.post("/api/tools/kv_cache", json={"model": "no-such-model"})
    assert answer.status_code == 422
    body = answer.json()
    assert body["field"] == "model"
    assert "no-such-model" in body["value"]
    assert body["remedy"]


def test_an_unknown_tool_is_404(client: TestClient) -> None:
    assert client.post("/api/tools/nope", json={}).status_code == 404


def test_every_route_of_the_api_is_documented(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert "/api/rounds/{round_id}/say" in paths
    for path, methods in paths.items():
        for operation in methods.values():
            assert operation["description"], path
            success = operation["responses"].get("200") or operation["responses"]["201"]
            assert success["content"]["application/json"]["schema"], path


def test_every_tool_is_documented_with_its_own_arguments(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for name, tool in CATALOG.items():
        content = paths[f"/api/tools/{name}"]["post"]["requestBody"]["content"]
        assert content["application/json"]["schema"] == json.loads(json.dumps(tool.schema()))


def test_there_is_no_documentation_page_that_loads_from_elsewhere(client: TestClient) -> None:
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404


def subclasses(kind: type[InterviewerError]) -> Iterator[type[InterviewerError]]:
    for sub in kind.__subclasses__():
        yield sub
        yield from subclasses(sub)


def test_every_error_of_the_application_has_a_code_and_a_status() -> None:
    named = [kind for kind in subclasses(InterviewerError) if kind.__module__.startswith("interv")]
    assert len(named) > 8
    for kind in named:
        assert any(base in ANSWERS for base in kind.__mro__), kind
    codes = [entry.code for entry in ANSWERS.values()]
    assert len(codes) == len(set(codes))


def test_an_error_answers_as_its_nearest_base() -> None:
    assert answer(LLMError("timeout", "slow")).status == 502
    assert answer(StoreUnavailable("disk full")).status == 503
