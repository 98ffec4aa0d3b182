"""Reading vLLM's Prometheus text."""

from interviewer.models.metrics import quantile, ratio, read_metrics

# As vLLM 0.32 writes it, shortened.
TEXT = """# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="smollm2"} 3.0
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 2.0
vllm:num_requests_waiting_by_reason{engine="0",reason="deferred"} 1.0
vllm:prefix_cache_queries_total{engine="0"} 1000.0
vllm:prefix_cache_hits_total{engine="0"} 900.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.1"} 5.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.25"} 9.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf"} 10.0
vllm:broken{engine="0"} NaN
"""


def test_labels_are_summed_over() -> None:
    assert read_metrics(TEXT)["vllm:num_requests_waiting_by_reason"] == 3.0


def test_what_is_no_number_is_left_out() -> None:
    assert "vllm:broken" not in read_metrics(TEXT)


def test_a_quantile_is_the_bound_of_its_bucket() -> None:
    assert quantile(TEXT, "vllm:time_to_first_token_seconds", 0.5) == 0.1
    assert quantile(TEXT, "vllm:time_to_first_token_seconds", 0.9) == 0.25


def test_there_is_no_quantile_of_nothing() -> None:
    assert quantile("", "vllm:time_to_first_token_seconds", 0.5) is None


def test_a_share_of_nothing_is_not_told() -> None:
    metrics = read_metrics(TEXT)
    assert ratio(metrics, "vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total") == 0.9
    assert ratio({}, "vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total") is None
