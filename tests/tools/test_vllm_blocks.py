"""Blocks of the paged cache as vLLM 0.31.0's own block manager counted them."""

import pytest

from tools.architecture import Architecture, CachedLayers
from tools.cache_layout import (
    Share,
    allocated_bytes,
    block_groups,
    blocks_per_sequence,
    row_bytes,
)
from tools.checkpoints import find_model

FULL = CachedLayers("full", 1, 8, 256)
SLIDING = CachedLayers("sliding", 1, 8, 256, window=1024)
CHUNKED = CachedLayers("chunked", 1, 8, 256, window=8192)


@pytest.mark.parametrize(
    ("model", "tp", "block", "page"),
    [
        ("Llama-3.3-70B", 1, 16, 65_536),
        ("Llama-3.3-70B", 8, 16, 8_192),
        ("gpt-oss-120b", 1, 16, 32_768),
        ("DeepSeek-V3", 1, 64, 73_728),
    ],
)
def test_a_page_has_the_bytes_that_vllm_gives_it(
    model: str, tp: int, block: int, page: int
) -> None:
    shape = find_model(model).architecture
    group = shape.cached[0]
    assert row_bytes(group, "bf16", Share(shape, tp).heads(group)) * block == page


@pytest.mark.parametrize(("group", "blocks"), [(FULL, 1024), (SLIDING, 129), (CHUNKED, 576)])
def test_a_request_reserves_the_blocks_that_vllm_reserves(group: CachedLayers, blocks: int) -> None:
    assert blocks_per_sequence(group, 16_384, 16, 1024) == blocks


@pytest.mark.parametrize(
    ("pool", "groups", "concurrency"),
    [(1536, (FULL,), 1.5), (387, (SLIDING,), 3.0), (3459, (FULL, SLIDING), 3.0)],
)
def test_the_concurrency_is_the_pool_over_the_blocks_of_all_groups(
    pool: int, groups: tuple[CachedLayers, ...], concurrency: float
) -> None:
    assert pool / sum(blocks_per_sequence(g, 16_384, 16, 1024) for g in groups) == concurrency


@pytest.mark.parametrize(
    ("model", "sizes"),
    [
        ("gpt-oss-120b", [18, 18]),
        ("gpt-oss-20b", [12, 12]),
        ("gemma-2-27b", [23, 23]),
        ("gemma-3-27b", [10, 9, 9, 9, 9, 8, 8]),
    ],
)
def test_hybrid_layers_are_grouped_as_vllm_groups_them(model: str, sizes: list[int]) -> None:
    assert [group.count for group in block_groups(find_model(model).architecture)] == sizes


def test_groups_of_nearly_equal_size_are_not_split() -> None:
    layers = (CachedLayers("full", 13, 8, 256), CachedLayers("sliding", 12, 8, 256, window=1024))
    shape = Architecture("test", 8, 128, 128, layers, None, ())
    assert [group.count for group in block_groups(shape)] == [13, 12]


def test_a_window_of_64_keeps_5_blocks_live_at_201_tokens() -> None:
    window = CachedLayers("sliding", 1, 1, 2, window=64)
    shape = Architecture("test", 1, 1, 1, (window,), None, ())
    assert allocated_bytes(Share(shape, 1), "bf16", 201, 16) == 5 * 16 * 4
