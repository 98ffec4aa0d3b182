"""What holds for every model, layout and format, tried on examples that Hypothesis picks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.golden import load
from tools.cache_layout import (
    Share,
    allocated_bytes,
    block_groups,
    growing_bytes,
    row_bytes,
    sequence_bytes,
)
from tools.catalog import CATALOG
from tools.checkpoints import find_model
from tools.precision import BYTES
from tools.result import Measure, ToolError

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)

VALUES = load("model_values.json")["models"]
MODELS = st.sampled_from([n for n, v in VALUES.items() if "bytes_per_token" in v["kv_bf16"]])
COUNTED = st.sampled_from([n for n, v in VALUES.items() if "total" in v["params"]])
TOKENS = st.integers(1, 1_000_000)
DTYPES = st.sampled_from(sorted(BYTES))
TP = st.sampled_from([1, 2, 4, 8, 16, 32])


@few
@given(MODELS.filter(lambda n: "V3.2" not in n), DTYPES)
def test_the_cache_is_linear_in_the_bytes_of_its_format(name: str, dtype: str) -> None:
    shape = find_model(name).architecture
    expected = growing_bytes(shape, "bf16") * BYTES[dtype] / 2
    assert growing_bytes(shape, dtype) == expected  # type: ignore[arg-type]


@few
@given(MODELS, TP)
def test_the_gpus_of_a_group_hold_at_least_the_whole_cache(name: str, tp: int) -> None:
    shape = find_model(name).architecture
    try:
        share = Share(shape, tp)
    except ToolError:
        return
    whole = growing_bytes(shape, "bf16")
    assert share.growing("bf16") * tp >= whole
    divides = all(group.heads % tp == 0 and not group.indexer for group in shape.cached)
    assert (share.growing("bf16") * tp == whole) == (divides or tp == 1)


@few
@given(MODELS, TOKENS)
def test_a_hybrid_never_holds_more_than_if_every_layer_kept_all(name: str, tokens: int) -> None:
    shape = find_model(name).architecture
    full = sum(g.layers * row_bytes(g, "bf16") for g in shape.cached) * tokens
    state = sequence_bytes(shape, "bf16", 1) - sum(
        g.layers * row_bytes(g, "bf16") for g in shape.cached
    )
    assert sequence_bytes(shape, "bf16", tokens) <= full + state


@few
@given(MODELS, st.integers(200_000, 1_000_000))
def test_beyond_the_window_a_token_adds_only_the_growing_part(name: str, tokens: int) -> None:
    shape = find_model(name).architecture
    added = sequence_bytes(shape, "bf16", tokens + 1) - sequence_bytes(shape, "bf16", tokens)
    assert added == growing_bytes(shape, "bf16")


@few
@given(MODELS, TOKENS, st.sampled_from([1, 16, 64]))
def test_blocks_hold_the_ideal_bytes_and_little_more(name: str, tokens: int, block: int) -> None:
    shape = find_model(name).architecture
    ideal = sequence_bytes(shape, "bf16", tokens)
    found = allocated_bytes(Share(shape, 1), "bf16", tokens, block)
    assert found >= ideal
    if len({g.count * row_bytes(g.layers, "bf16") for g in block_groups(shape)}) == 1:
        group = block_groups(shape)[0]
        spare = 2 * group.count * row_bytes(group.layers, "bf16") * block
        assert found - ideal <= spare * len(block_groups(shape))


@few
@given(COUNTED, st.floats(0.1, 100), st.floats(1.0, 10), st.integers(1, 512))
def test_more_bandwidth_never_makes_the_floor_longer(
    name: str, bandwidth: float, faster: float, batch: int
) -> None:
    given_ = {"model": name, "weight_dtype": "bf16", "context": 4096, "batch": batch}
    slow, fast = (
        CATALOG["decode_roofline"].call({**given_, "bandwidth_tb_s": b}).value
        for b in (bandwidth, bandwidth * faster)
    )
    assert fast <= slow


@few
@given(st.floats(0.001, 1000))
def test_a_bandwidth_utilisation_is_at_most_1_or_an_error(measured: float) -> None:
    asked = {"weights_gb": 70, "bandwidth_tb_s": 4.8, "measured_ms": measured}
    if measured < 70 / 4.8:
        with pytest.raises(ToolError, match="measured_ms"):
            CATALOG["decode_roofline"].call(asked)
    else:
        assert 0 < CATALOG["decode_roofline"].call(asked).measures["mbu"].value <= 1


@few
@given(st.integers(1, 100_000), st.sampled_from(["Mixtral-8x7B", "DeepSeek-V3", "gpt-oss-20b"]))
def test_expected_experts_lie_between_k_and_all_that_can_be_reached(batch: int, name: str) -> None:
    experts = find_model(name).parameters.experts
    assert experts is not None
    most = min(experts.count, experts.per_token * batch)
    assert experts.per_token * (1 - 1e-12) <= experts.expected(batch) <= most * (1 + 1e-12)


@few
@given(COUNTED, st.integers(1, 200_000), st.integers(0, 200_000))
def test_a_cached_prefix_never_adds_to_the_time_of_the_whole_prompt(
    name: str, tokens: int, cached: int
) -> None:
    asked = {"model": name, "gpu": "B200", "weight_dtype": "bf16"}
    tool = CATALOG["prefill_roofline"]
    part = tool.call({**asked, "tokens": tokens, "cached_tokens": cached})
    whole = tool.call({**asked, "tokens": tokens + cached})
    assert part.value <= whole.value * (1 + 1e-9)


@few
@given(st.integers(0, 500), st.integers(1, 500), st.floats(0.5, 0.999))
def test_a_rate_lies_within_its_interval(successes: int, trials: int, level: float) -> None:
    if successes > trials:
        return
    found = CATALOG["stats"].call({"successes": successes, "trials": trials, "level": level})
    low, rate, high = (found.measures[key].value for key in ("low", "rate", "high"))
    assert 0 <= low <= rate <= high <= 1


def every_measure() -> list[tuple[str, str, Measure]]:
    results = [(tool.name, tool.call(tool.example)) for tool in CATALOG.values()]
    return [(name, key, m) for name, result in results for key, m in result.measures.items()]


@pytest.mark.parametrize(("tool", "key", "measure"), every_measure())
def test_every_measure_has_a_unit_and_a_label(tool: str, key: str, measure: Measure) -> None:
    assert measure.unit
    assert measure.label
    assert measure.kind in ("exact", "floor", "ceiling", "estimate", "count")
