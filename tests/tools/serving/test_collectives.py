"""Collectives, slow links and hung ranks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError
from tools.serving.links import Link, crossover, second_shot, seconds

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def test_bug_13_a_gpu_sends_in_one_direction() -> None:
    large = {"gpus": 8, "message_bytes": 8e9, "latency_us": 0, "algorithm": "ring"}
    found = call("collectives", **large, gpu="H100").value
    assert found == pytest.approx(2 * 7 / 8 * 8e9 / 450e9 * 1e6)


def test_bug_13_the_both_directions_figure_is_refused_for_a_known_gpu() -> None:
    with pytest.raises(ToolError, match="450 GB/s in one direction"):
        call("collectives", gpus=8, hidden=8192, latency_us=2, gpu="H100", link_gb_s=900)


def test_bug_13_the_both_directions_figure_is_warned_of_without_a_gpu() -> None:
    result = call("collectives", gpus=8, hidden=8192, latency_us=2, link_gb_s=900)
    assert "one direction has 450" in " ".join(result.warnings)


@few
@given(st.integers(3, 64), st.floats(1e9, 1e12), st.floats(1e-7, 1e-4))
def test_at_the_crossover_both_algorithms_take_equally_long(
    gpus: int, bandwidth: float, latency: float
) -> None:
    link = Link(bandwidth, latency)
    for meet, other in ((crossover(gpus, link), "ring"), (second_shot(gpus, link), "two_shot")):
        times = [seconds("all_reduce", name, gpus, meet or 0, link) for name in ("one_shot", other)]
        assert times[0] == pytest.approx(times[1])


@few
@given(st.integers(2, 64), st.floats(1, 1e10), st.floats(1, 4))
def test_a_faster_link_never_takes_longer(gpus: int, size: float, faster: float) -> None:
    asked = {"gpus": gpus, "message_bytes": size, "latency_us": 2}
    slow, fast = (call("collectives", **asked, link_gb_s=50 * f).value for f in (1, faster))
    assert fast <= slow


def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather() -> None:
    asked = {"gpus": 8, "message_bytes": 1e6, "latency_us": 2, "gpu": "H100", "algorithm": "ring"}
    whole, scatter, gather = (
        call("collectives", **asked, op=op).value
        for op in ("all_reduce", "reduce_scatter", "all_gather")
    )
    assert whole == pytest.approx(scatter + gather)


def test_a_small_message_is_latency_and_takes_one_step() -> None:
    found = CATALOG["collectives"].call(CATALOG["collectives"].example).measures
    assert found["steps"].value == 1
    assert found["latency_share"].value > 0.8


def test_a_measured_time_beyond_the_link_is_refused() -> None:
    with pytest.raises(ToolError, match="measured_us"):
        call("collectives", gpus=8, message_bytes=1e9, latency_us=2, gpu="H100", measured_us=10)


def test_an_algorithm_of_another_collective_is_refused() -> None:
    asked = {"gpus": 8, "message_bytes": 1, "latency_us": 2, "gpu": "H100"}
    with pytest.raises(ToolError, match="direct"):
        call("collectives", **asked, op="all_to_all", algorithm="ring")


def test_a_gpu_without_nvlink_needs_its_link_stated() -> None:
    with pytest.raises(ToolError, match="no NVLink"):
        call("collectives", gpus=8, hidden=8192, latency_us=2, gpu="L40S")


def test_hidden_communication_counts_only_once_it_shows() -> None:
    half = {"comm_share": 0, "hidden_share": 0.5}
    found = [call("slow_link", **half, slowdown=s).value for s in (1, 2, 4)]
    assert found == [1, 1.5, 2.5]


def test_more_hidden_communication_than_arithmetic_is_refused() -> None:
    with pytest.raises(ToolError, match="hidden_share"):
        call("slow_link", comm_share=0.6, hidden_share=0.5, slowdown=2)


RANK = {"op": "all_reduce", "bytes": 64}


def test_the_rank_that_is_behind_is_the_suspect_and_not_those_that_wait() -> None:
    ranks = [{**RANK, "rank": r, "seq": 9 - (r == 2)} for r in range(4)]
    result = call("collective_hang", ranks=ranks, world_size=4)
    assert (result.value, result.measures["waiting"].value) == (1, 3)
    assert "rank 2" in result.assumptions[0]


def test_a_rank_in_another_call_is_a_bug() -> None:
    ranks = [{**RANK, "rank": r, "seq": 9} for r in range(3)]
    ranks.append({"rank": 3, "seq": 9, "op": "all_gather", "bytes": 64})
    result = call("collective_hang", ranks=ranks)
    assert "rank 3 called all_gather" in result.assumptions[0]


def test_ranks_that_are_all_in_the_same_call_point_at_the_network() -> None:
    ranks = [{**RANK, "rank": r, "seq": 9} for r in range(3)]
    assert "network" in call("collective_hang", ranks=ranks).assumptions[0]
