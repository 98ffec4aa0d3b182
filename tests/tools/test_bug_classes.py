"""Mistakes that other calculators make, by class number: each test fails if its bug is put in."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

import tools
from tools.catalog import CATALOG
from tools.checkpoints import Entry, entries
from tools.hardware import Gpu, find_gpu, gpus
from tools.result import Result, ToolError

LLAMA = "Llama-3.3-70B"


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


def config(name: str, **changes: object) -> dict[str, object]:
    return {**entries()[name].config, **changes}


def test_bug_01_query_heads_do_not_count_in_the_cache() -> None:
    more = config("meta-llama/Llama-3.3-70B-Instruct", num_attention_heads=128)
    assert value("kv_cache", "bytes_per_token", config=more) == 327_680


def test_bug_02_head_dim_is_taken_as_stated() -> None:
    assert value("kv_cache", "bytes_per_token", model="Qwen3-32B") == 64 * 2 * 8 * 128 * 2


def test_bug_02_a_missing_head_dim_is_not_guessed_where_the_family_sets_its_own() -> None:
    with pytest.raises(ToolError, match="head_dim"):
        call("kv_cache", config=config("Qwen/Qwen3-8B", head_dim=None))


def test_bug_03_a_latent_is_counted_once_with_its_rope_part() -> None:
    assert value("kv_cache", "bytes_per_token", model="DeepSeek-V3") == 61 * (512 + 64) * 2


@pytest.mark.parametrize(("kv_dtype", "expected"), [("bf16", 1152 + 132), ("fp8", 656 + 132)])
def test_bug_03_the_indexer_keys_count_in_every_format(kv_dtype: str, expected: int) -> None:
    found = value("kv_cache", "bytes_per_token", model="DeepSeek-V3.2", kv_dtype=kv_dtype)
    assert found == 61 * expected


def test_bug_04_a_window_that_is_switched_off_is_no_window() -> None:
    off = config("Qwen/Qwen2.5-7B-Instruct", max_window_layers=0)
    assert value("kv_cache", "window_bytes", config=off) == 0
    assert value("kv_cache", "window_bytes", config={**off, "use_sliding_window": True}) > 0


def test_bug_04_a_window_is_charged_up_to_its_width_and_not_left_out() -> None:
    short, long = (
        value("kv_cache", "sequence_bytes", model="gpt-oss-120b", tokens=n) for n in (128, 8192)
    )
    assert short == 128 * 73_728
    assert long == 8192 * 36_864 + 128 * 36_864


def test_bug_04_llama_4_has_chunked_layers_although_its_config_lists_none() -> None:
    shape = call("model_config", model="Llama-4-Scout").measures
    assert (shape["layers_chunked"].value, shape["layers_full"].value) == (36, 12)


def test_bug_04_mlp_blocks_of_a_pattern_cache_nothing() -> None:
    assert value("kv_cache", "bytes_per_token", model="Nemotron-H-56B") == 10 * 2 * 8 * 128 * 2


def test_bug_04_layer_lists_that_count_from_one_are_read_so() -> None:
    lists = dict(entries()["moonshotai/Kimi-K3"].config["linear_attn_config"])
    lists["full_attn_layers"] = [n - 1 for n in lists["full_attn_layers"]]
    with pytest.raises(ToolError, match="two lists"):
        call("kv_cache", config=config("moonshotai/Kimi-K3", linear_attn_config=lists))


def test_bug_04_layers_that_reuse_another_cache_add_none() -> None:
    shared = config("google/gemma-4-31B-it", num_kv_shared_layers=6)
    whole = value("kv_cache", "bytes_per_token", model="gemma-4-31B")
    assert value("kv_cache", "bytes_per_token", config=shared) == whole * 9 / 10


def test_bug_04_reuse_by_layer_ids_is_refused() -> None:
    reuse = config("meta-llama/Llama-3.1-8B", kv_source_layer_ids=[0, 0, 1, 1])
    with pytest.raises(ToolError, match="reuse"):
        call("kv_cache", config=reuse)


def test_bug_05_recurrent_state_counts_for_each_sequence() -> None:
    assert value("kv_cache", "state_bytes", model="Nemotron-H-56B") == 912_605_184


def test_bug_05_the_state_lowers_the_number_of_sequences() -> None:
    fit = value(
        "memory_budget",
        "sequences",
        gpu="H200",
        weights_gb=70,
        reserve_gb=5,
        model="Kimi-K3",
        context=32_768,
    )
    assert fit == pytest.approx(54.72e9 / (27_648 * 32_768 + 449_372_160))


def test_bug_06_kv_heads_are_repeated_beyond_their_number() -> None:
    result = call("kv_cache", model=LLAMA, tp=16)
    assert result.measures["bytes_per_token_per_gpu"].value == 40_960
    assert result.measures["copies"].value == 2


def test_bug_06_tensor_parallelism_does_not_divide_a_latent() -> None:
    assert value("kv_cache", "bytes_per_token_per_gpu", model="DeepSeek-V3", tp=8) == 70_272


def test_bug_06_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ToolError, match="10 KV heads"):
        call("kv_cache", model="phi-4", tp=4)


def test_bug_06_a_decode_step_reads_the_repeated_heads_too() -> None:
    eight, sixteen = (
        value("decode_roofline", "kv_ms", model=LLAMA, gpu="H200", context=8192, gpus=n)
        for n in (8, 16)
    )
    assert eight == sixteen


def test_bug_07_data_parallelism_does_not_divide_one_sequence() -> None:
    one, many = (value("kv_cache", "total_GB_per_gpu", model=LLAMA, dp=n) for n in (1, 8))
    assert one == many


def test_bug_08_a_tied_embedding_is_one_matrix_that_works_as_lm_head() -> None:
    sizes = call("model_config", model="gemma-2-9b").measures
    assert sizes["total_params"].value == 9_241_705_984
    assert sizes["active_params"].value == 9_241_705_984


def test_bug_08_gemma_is_tied_where_its_config_does_not_say() -> None:
    silent = config("google/gemma-2-9b", tie_word_embeddings=None, layer_types=None)
    assert value("model_config", "total_params", config=silent) == 9_241_705_984


def test_bug_09_a_step_at_batch_1_reads_only_the_routed_experts() -> None:
    one = value("decode_roofline", "experts_read", model="DeepSeek-V3", gpu="H200")
    assert one == pytest.approx(8)


def test_bug_09_experts_have_their_own_width_and_the_shared_one_counts() -> None:
    assert value("model_config", "total_params", model="Qwen3-30B-A3B") == 30_532_122_624
    assert value("model_config", "total_params", model="DeepSeek-V3") == 671_026_419_200


def test_bug_08_a_step_does_not_read_the_embedding_table_of_an_untied_model() -> None:
    asked = {"model": "Llama-3.1-8B", "bandwidth_tb_s": 3.35}
    strict = value("decode_roofline", "strict_floor_ms", **asked)
    assert strict == pytest.approx((8_030_261_248 - 128_256 * 4096) * 2 / 3.35e9)


def test_bug_10_a_quantised_checkpoint_is_not_weighed_by_torch_dtype() -> None:
    assert value("model_config", "weights_GB_stored", model="DeepSeek-V3") < 700


def test_bug_10_the_cache_has_its_own_format() -> None:
    wide, narrow = (
        value("decode_roofline", "kv_ms", model=LLAMA, gpu="H200", context=8192, weight_dtype=d)
        for d in ("bf16", "fp8")
    )
    assert wide == narrow


def test_bug_11_nvidia_smi_counts_mebibytes() -> None:
    h100 = {"gpu": "H100", "weights_gb": 14.5, "reserve_gb": 0}
    smi = value("memory_budget", "memory_GB", **h100, memory_basis="nvidia-smi")
    assert smi == pytest.approx(85.52, abs=0.01)
    assert value("memory_budget", "memory_GB", **h100) == 80


def test_bug_11_gb_and_gib_differ_by_their_factor() -> None:
    result = call("kv_cache", model=LLAMA).measures
    ratio = result["sequence_GB"].value / result["sequence_GiB"].value
    assert ratio == pytest.approx(1.073741824)


def test_bug_12_peaks_are_dense() -> None:
    assert find_gpu("H100").spec.fp8_tflops == 1978.9
    assert find_gpu("L40S").spec.fp8_tflops == 733


def test_bug_12_a_peak_is_of_the_asked_precision() -> None:
    with pytest.raises(ToolError, match="A100"):
        call("op_intensity", op="linear", k=8, n=8, gpu="A100", math_dtype="fp8")


def test_bug_13_nvlink_in_one_direction_is_half_of_both() -> None:
    linked = [g for g in gpus().values() if g.nvlink_total_gb_s and g.nvlink_per_direction_gb_s]
    assert all(g.nvlink_total_gb_s == 2 * (g.nvlink_per_direction_gb_s or 0) for g in linked)


def test_bug_14_each_engine_has_its_own_meaning_of_the_fraction() -> None:
    given = {"memory_gb": 100, "weights_gb": 50, "reserve_gb": 10, "utilization": 0.9}
    engines = ("vllm", "tensorrt-llm", "sglang")
    found = [value("memory_budget", "kv_GB", **given, engine=engine) for engine in engines]
    assert found == pytest.approx([30, 36, 40])


def test_bug_14_sglang_has_no_fraction_by_default() -> None:
    with pytest.raises(ToolError, match="utilization"):
        call("memory_budget", gpu="H100", weights_gb=14.5, engine="sglang")


def test_bug_15_leaving_the_reserve_out_is_said() -> None:
    result = call("memory_budget", gpu="H100", weights_gb=14.5)
    assert "activations" in " ".join(result.warnings)
    assert result.measures["kv_GB"].kind == "ceiling"


def test_bug_16_ideal_allocated_and_logged_tokens_are_kept_apart() -> None:
    result = call(
        "memory_budget",
        gpu="H100",
        model="gpt-oss-120b",
        weights_gb=65.2,
        reserve_gb=3,
        context=131_072,
    ).measures
    assert result["tokens_logged"].value < result["kv_tokens"].value


def test_bug_17_bytes_per_token_are_no_slope_from_one_point() -> None:
    one, many = (
        value("kv_cache", "bytes_per_token", model="gpt-oss-120b", tokens=n) for n in (1, 8192)
    )
    assert one == many


def test_bug_18_a_long_context_is_not_capped() -> None:
    far = value("kv_cache", "sequence_bytes", model=LLAMA, tokens=100_000_000)
    assert far == 100_000_000 * 327_680


def test_bug_19_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(ToolError, match="no formula"):
        call("kv_cache", config=config("meta-llama/Llama-3.1-8B", model_type="llama9"))


@pytest.mark.parametrize("kept", [Entry, Gpu])
def test_bug_20_a_data_file_with_a_field_misspelt_is_refused(kept: type[Entry | Gpu]) -> None:
    (good, *_) = (entries() if kept is Entry else gpus()).values()
    stated = good.model_dump()
    misspelt = {("sourse" if name == "source" else name): x for name, x in stated.items()}
    assert kept.model_validate(stated) == good
    with pytest.raises(ValidationError) as caught:
        kept.model_validate(misspelt)
    assert {error["loc"] for error in caught.value.errors()} == {("source",), ("sourse",)}


def test_bug_20_no_module_holds_a_copy_of_a_models_shape_or_a_gpus_figures() -> None:
    copies = re.compile(r"num_key_value_heads\W{1,4}\d|nvlink_total_gb_s\W{1,4}\d")
    package = Path(tools.__file__).parent
    texts = {
        path.name: path.read_text("utf-8")
        for path in package.rglob("*.*")
        if path.is_file() and path.suffix in (".py", ".json")
    }
    assert {name for name, text in texts.items() if copies.search(text)} == {
        "models.json",
        "gpus.json",
    }


def test_bug_22_the_null_block_and_part_blocks_cost() -> None:
    result = call(
        "memory_budget",
        memory_gb=11 * 16 * 327_680 / 1e9,
        utilization=1,
        weights_gb=0,
        reserve_gb=0,
        model=LLAMA,
        context=33,
    ).measures
    assert result["blocks"].value == 10
    assert result["sequences_in_blocks"].value == 3


def test_bug_23_active_parameters_name_their_convention() -> None:
    sizes = call("model_config", model="DeepSeek-V3").measures
    found = [sizes[key].value for key in ("active_params", "active_with_embedding")]
    assert found == [36_625_618_432, 37_552_297_472]
    assert sizes["active_params"].label == "per token, with lm_head, no embedding"
