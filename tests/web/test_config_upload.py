"""A config.json as a file on a tool's page: reduced, put in the address, refused in words."""

import json
from collections.abc import Iterator

import pytest

from interviewer.store import EventStore
from tests.web.scored import App, application
from tools.catalog import CATALOG

CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 95,
    "hidden_size": 8192,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "bos_token_id": 100000,
}


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def upload(app: App, name: str, content: bytes, state: str = "") -> tuple[int, str]:
    file = {"file": ("config.json", content, "application/json")}
    answer = app.client.post(f"/tools/{name}/config", files=file, data={"state": state})
    return answer.status_code, answer.headers.get("location", answer.text)


def test_the_file_takes_the_place_of_the_model_and_keeps_the_rest(app: App) -> None:
    content = json.dumps(CONFIG).encode()
    status, address = upload(app, "kv_cache", content, "model=Llama-3.3-70B&tokens=4096")
    assert status == 303
    assert "tokens=4096" in address
    assert "Llama-3.3" not in address
    assert "bos_token_id" not in address
    # 2 x 95 layers x 8 KV heads x 128 x 2 B.
    assert "389,120" in app.client.get(address).text


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"{}", b"[1]", b"{" * 9000])
def test_a_file_that_is_no_config_is_refused_in_words(app: App, content: bytes) -> None:
    status, text = upload(app, "kv_cache", content)
    assert status == 422
    assert "<h1>" in text


@pytest.mark.parametrize("name", ["stats", "crystal_ball"])
def test_a_tool_without_a_config_takes_no_file(app: App, name: str) -> None:
    assert upload(app, name, json.dumps(CONFIG).encode())[0] == 404


@pytest.mark.parametrize("name", ["kv_cache", "stats"])
def test_the_page_offers_a_file_where_the_tool_takes_a_config(app: App, name: str) -> None:
    offered = 'type="file"' in app.client.get(f"/tools/{name}").text
    assert offered == ("config" in CATALOG[name].input_model.model_fields)
