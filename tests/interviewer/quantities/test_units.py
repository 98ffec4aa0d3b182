"""Units as cards write them."""

import pytest

from interviewer.quantities import parse_unit


@pytest.mark.parametrize(
    ("written", "dimension", "factor"),
    [
        ("ms", "time", 1e-3),
        ("GB", "bytes", 1e9),
        ("GiB", "bytes", 2**30),
        ("KiB/token", "bytes/tokens", 1024),
        ("users", "count", 1),
        ("%", "ratio", 0.01),
        ("x", "ratio", 1),
        ("TB/s", "bytes/time", 1e12),
        ("tokens/s", "tokens/time", 1),
        ("FLOP/byte", "flop/bytes", 1),
        ("TFLOP/s", "flop/time", 1e12),
        ("TFLOPS", "flop/time", 1e12),
        ("requests/s", "count/time", 1),
        ("$/h", "usd/time", 1 / 3600),
        ("Gbit/s", "bytes/time", 125e6),
    ],
)
def test_a_unit_has_a_dimension_and_a_factor(written: str, dimension: str, factor: float) -> None:
    unit = parse_unit(written)
    assert unit.dimension == dimension
    assert unit.factor == pytest.approx(factor)


@pytest.mark.parametrize("written", ["", "furlongs", "GB/", "GB of cake", "14 ms"])
def test_an_unknown_unit_is_refused_with_a_remedy(written: str) -> None:
    with pytest.raises(ValueError, match="use one such as"):
        parse_unit(written)
