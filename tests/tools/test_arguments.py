"""Arguments come as JSON, or as strings from forms and shells; all else is named and refused."""

from typing import Any

import pytest

from tools.arguments import SHOWN
from tools.catalog import CATALOG
from tools.result import ToolError

KV = CATALOG["kv_cache"]
LLAMA = {"model": "Llama-3.3-70B"}


def refused(arguments: dict[str, Any], tool: str = "kv_cache") -> ToolError:
    with pytest.raises(ToolError) as caught:
        CATALOG[tool].call(arguments)
    return caught.value


@pytest.mark.parametrize("tokens", ["4096", " 4096 ", "4,096", 4096.0, "4096.0"])
def test_a_number_may_come_as_a_string_of_a_form(tokens: object) -> None:
    assert KV.call({**LLAMA, "tokens": tokens}).inputs["tokens"] == 4096


@pytest.mark.parametrize("empty", ["", "   ", None])
def test_an_empty_field_is_an_argument_that_was_not_given(empty: object) -> None:
    assert KV.call({**LLAMA, "tokens": empty}).inputs["tokens"] == 8192


@pytest.mark.parametrize("flag", ["true", "on", "1", True])
def test_a_switch_may_come_as_a_form_sends_it(flag: object) -> None:
    result = CATALOG["sample_size"].call({"p1": 0.01, "p2": 0.015, "pooled": flag})
    assert result.value == 7750


@pytest.mark.parametrize(
    "tokens",
    ["abc", "8K", 1.5, True, 0, -1, 10**30, "9" * 5000, float("inf"), float("nan"), [1], {}],
    ids=str,
)
def test_what_is_no_count_is_refused_by_name(tokens: object) -> None:
    assert refused({**LLAMA, "tokens": tokens}).field == "tokens"


def test_an_unknown_argument_is_refused_with_the_close_one() -> None:
    assert "did you mean model?" in refused({"modle": "x"}).remedy


def test_a_missing_argument_is_named_with_its_meaning() -> None:
    error = refused({"trials": 3}, "stats")
    assert (error.field, error.value) == ("successes", None)
    assert "Trials that succeeded" in error.remedy


def test_a_long_value_is_not_repeated_whole() -> None:
    assert len(str(refused({"model": "x" * 100_000}))) < 4 * SHOWN


def test_what_is_not_one_of_the_choices_is_refused_with_them() -> None:
    error = refused({**LLAMA, "kv_dtype": "fp12"})
    assert "'bf16'" in error.remedy


def test_an_error_says_field_value_and_remedy() -> None:
    assert str(refused({**LLAMA, "tp": 7})) == ("tp=7: 64 query heads do not divide over 7 GPUs")


def test_neither_model_nor_config_is_refused() -> None:
    assert refused({}).field == "model"


def test_both_model_and_config_are_refused() -> None:
    assert refused({**LLAMA, "config": "{}"}).field == "config"
