"""The models' data file: every entry is valid, and its sums agree with an independent script."""

import pytest

from tests.tools.golden import load
from tools.cache_layout import growing_bytes, state_bytes, window_bytes
from tools.checkpoints import entries, find_model
from tools.result import ToolError

VALUES = load("model_values.json")["models"]
CACHED = [name for name, value in VALUES.items() if "bytes_per_token" in value["kv_bf16"]]
COUNTED = [name for name, value in VALUES.items() if "total" in value["params"]]


def test_the_file_holds_the_models_of_the_independent_script() -> None:
    assert set(entries()) == set(VALUES)


@pytest.mark.parametrize("name", CACHED)
def test_bytes_per_token_agree_with_an_independent_script(name: str) -> None:
    expected = VALUES[name]["kv_bf16"]["bytes_per_token"]
    assert growing_bytes(find_model(name).architecture, "bf16") - _indexer(name) == expected


@pytest.mark.parametrize("name", CACHED)
def test_window_bytes_agree_with_an_independent_script(name: str) -> None:
    value = VALUES[name]["kv_bf16"]
    each = value.get("window_bytes_per_token", 0) * value.get("window", 0)
    expected = value.get("fixed_bytes_per_seq", each)
    assert window_bytes(find_model(name).architecture, "bf16") == expected


@pytest.mark.parametrize("name", [n for n in CACHED if "recurrent_state" in VALUES[n]])
def test_recurrent_state_agrees_with_an_independent_script(name: str) -> None:
    expected = VALUES[name]["recurrent_state"]["bytes_per_seq_temporal_fp32"]
    assert state_bytes(find_model(name).architecture) == expected


@pytest.mark.parametrize("name", COUNTED)
def test_parameters_agree_with_an_independent_script(name: str) -> None:
    sizes, expected = find_model(name).parameters, VALUES[name]["params"]
    found = (sizes.total, sizes.active)
    assert found == (expected["total"], expected["active_with_lm_head_without_embed_lookup"])


@pytest.mark.parametrize("name", [n for n in COUNTED if "reference" in VALUES[n]["params"]])
def test_parameters_are_within_a_tenth_of_a_percent_of_the_published_total(name: str) -> None:
    tolerance = 0.007 if "GLM" in name else 0.001  # GLM's published total counts MTP
    published = VALUES[name]["params"]["reference"]
    assert find_model(name).parameters.total == pytest.approx(published, rel=tolerance)


@pytest.mark.parametrize("name", sorted(set(VALUES) - set(CACHED)))
def test_an_architecture_without_a_formula_is_refused(name: str) -> None:
    with pytest.raises(ToolError, match="no formula for this architecture"):
        find_model(name)


@pytest.mark.parametrize("name", sorted(set(CACHED) - set(COUNTED)))
def test_parameters_without_a_formula_are_refused(name: str) -> None:
    model = find_model(name)
    with pytest.raises(ToolError, match="not covered"):
        _ = model.parameters


def _indexer(name: str) -> int:
    """The script leaves out DeepSeek-V3.2's indexer keys: 132 B in each of 61 layers."""
    return 61 * 132 if name.endswith("V3.2") else 0
