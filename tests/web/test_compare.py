"""Models side by side: names, pasted and uploaded configs, and what is not supported."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from interviewer.store import EventStore
from tests.web.scored import App, application

LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "intermediate_size": 14336,
    "architectures": ["LlamaForCausalLM"],
}
PER_TOKEN = "KV cache, growing part"


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def compared(app: App, **params: Any) -> list[dict[str, Any]]:
    models: list[dict[str, Any]] = app.client.get("/compare.json", params=params).json()["models"]
    return models


def test_two_models_stand_side_by_side(app: App) -> None:
    models = compared(app, models="Llama-3.3-70B, DeepSeek-V3")
    assert [model["values"][PER_TOKEN]["value"] for model in models] == [327_680, 70_272]


def test_the_assumed_context_is_said(app: App) -> None:
    assert "Assumes 8,192 tokens in each sequence" in app.client.get("/compare").text
    assert "Assumes 32,768 tokens" in app.client.get("/compare?context=32768").text


def test_a_pasted_config_is_a_column_of_its_own(app: App) -> None:
    models = compared(app, models="Llama-3.1-8B", config=json.dumps(LLAMA))
    assert models[1]["model"] == "config.json 1 (llama)"
    assert models[1]["values"][PER_TOKEN] == models[0]["values"][PER_TOKEN]


def test_an_unknown_design_is_not_supported_and_says_why(app: App) -> None:
    models = compared(app, config=json.dumps({**LLAMA, "model_type": "crystal"}))
    assert models[0]["supported"] is False
    assert "no formula for this architecture" in models[0]["reason"]
    assert "is not supported" in app.client.get("/compare?models=DeepSeek-V4-Flash").text


def test_an_unknown_name_is_not_supported_and_close_names_are_given(app: App) -> None:
    models = compared(app, models="Lama-3.3-70")
    assert "close names" in models[0]["reason"]


def test_a_model_of_which_only_the_cache_is_known_says_what_is_not(app: App) -> None:
    (model,) = compared(app, models="Kimi-K3")
    assert model["values"][PER_TOKEN]["value"] == 27_648
    assert model["values"]["parameters"]["value"] is None
    assert "Kimi-K3, not known" in app.client.get("/compare?models=Kimi-K3").text


def test_what_does_not_fit_has_a_reason_or_no_sequences(app: App) -> None:
    (model,) = compared(app, models="Llama-3.1-405B", gpu="L40S", gpus="1")
    assert not model["values"]["sequences that fit"].get("value")


def test_the_csv_has_a_column_for_each_model(app: App) -> None:
    text = app.client.get("/compare.csv?models=Llama-3.3-70B%0AQwen3-8B").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["unit"] == "B/token"
    assert (rows[0]["Llama-3.3-70B"], rows[0]["Qwen3-8B"]) == ("327680.0", "147456.0")


def test_an_uploaded_config_becomes_part_of_the_address(app: App) -> None:
    file = {"file": ("config.json", json.dumps(LLAMA), "application/json")}
    answer = app.client.post("/compare", files=file, data={"state": "models=Qwen3-8B&context=4096"})
    assert answer.status_code == 303
    address = answer.headers["location"]
    assert "LlamaForCausalLM" not in address
    shown = app.client.get(address).text
    assert "config.json 1 (llama)" in shown
    assert "Assumes 4,096 tokens" in shown


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"not json", b"[]", b"{}", b'{"model_type": "llama"}', b" " * 70_000],
)
def test_a_file_that_is_no_config_is_refused_in_words(app: App, content: bytes) -> None:
    answer = app.client.post("/compare", files={"file": ("config.json", content)})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_more_than_eight_models_are_refused(app: App) -> None:
    names = "\n".join(f"Model-{number}" for number in range(9))
    answer = app.client.get("/compare", params={"models": names})
    assert answer.status_code == 422
    assert 'id="models-fault"' in answer.text


def test_a_bad_setting_is_named(app: App) -> None:
    assert app.client.get("/compare.json?gpus=0").status_code == 422
    assert 'id="gpus-fault"' in app.client.get("/compare?gpus=0").text


def test_hostile_text_stays_text(app: App) -> None:
    text = app.client.get("/compare", params={"models": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in text
