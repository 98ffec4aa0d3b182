"""Quantities as people write them and recognisers transcribe them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.quantities import find_quantities
from interviewer.quantities.tokens import word_set

MEASURED = [
    ("fourteen point six milliseconds", 14.6, "ms"),
    ("three hundred twenty kibibytes per token", 320, "KiB/token"),
    ("one hundred sixty seven thousand tokens", 167_000, "tokens"),
    ("seventy b", 70e9, "parameters"),
    ("a 70B model", 70e9, "parameters"),
    ("2x", 2, "x"),
    ("it is four times faster", 4, "x"),
    ("two point six eight gigabytes", 2.68, "GB"),
    ("92%", 92, "%"),
    ("92 per cent", 92, "%"),
    ("p95 of 1.3 s", 1.3, "s"),
    ("4.8 TB/s", 4.8, "TB/s"),
    ("four point eight terabytes per second", 4.8, "TB/s"),
    ("four point eight terabytes a second", 4.8, "TB/s"),
    ("half a millisecond", 0.5, "ms"),
    ("nineteen seventy nine teraflops", 1979, "TFLOP/s"),
    ("nineteen hundred seventy nine teraflops", 1979, "TFLOP/s"),
    ("989 dense BF16 TFLOPS", 989, "TFLOP/s"),
    ("295 FLOPs per byte", 295, "FLOP/byte"),
    ("140 GFLOPs per token", 140, "GFLOP/token"),
    ("$1.5 million", 1.5e6, "$"),
    ("$4 per GPU-hour", 4, "$/GPU-h"),
    ("$2.50 per million tokens", 2.5, "$/1,000,000 tokens"),
    ("500 euros", 500, "€"),
    ("three weeks", 3, "weeks"),
    ("2 min", 2, "min"),
    ("a couple of minutes", 2, "min"),
    ("eight k v heads", 8, "heads"),
    ("8 KV heads", 8, "heads"),
    ("eleven and a half megabytes", 11.5, "MB"),
    ("300 tokens per second per user", 300, "tokens/s/user"),
    ("39 tok/s", 39, "tokens/s"),
    ("15 percentage points", 15, "points"),
    ("thirty second timeout", 30, "s"),
    ("eight thousand one ninety two tokens", 8192, "tokens"),
    ("seventy gigs", 70, "GB"),
    ("400 Gb/s", 400, "Gbit/s"),
    ("327,680 B", 327_680, "bytes"),
    ("14.6\u00a0ms", 14.6, "ms"),
    ("-5%", -5, "%"),
    ("14.6 milli seconds", 14.6, "ms"),
    ("fourteen point six mili-seconds", 14.6, "ms"),
    ("3.35 terra bytes per second", 3.35, "TB/s"),
    ("320 kibi bytes per token", 320, "KiB/token"),
    ("1979 tera flops", 1979, "TFLOP/s"),
    ("4.8 TBps", 4.8, "TB/s"),
    ("4.8 Tbps", 4.8, "Tbit/s"),
    ("twenty to milliseconds", 22, "ms"),
    ("one oh five milliseconds", 105, "ms"),
    ("four point 8 terabytes", 4.8, "TB"),
    ("4 point eight terabytes", 4.8, "TB"),
    ("14 point six two milliseconds", 14.62, "ms"),
    ("point 8 percent", 0.8, "%"),
    ("8 hundred milliseconds", 800, "ms"),
    ("8 hundred and twelve tokens", 812, "tokens"),
    ("2 hundred thousand tokens", 200_000, "tokens"),
    ("2 and a half gigabytes", 2.5, "GB"),
    ("20 percents", 20, "%"),
]

BARE = [
    ("twenty point four", 20.4),
    ("eight point one nine two", 8.192),
    ("1,100", 1100),
    ("1e12", 1e12),
    ("zero point nine two", 0.92),
    ("it is point nine", 0.9),
    ("at 8K", 8000),
    ("two and a half k", 2500),
    ("three hundred twenty seven thousand six hundred eighty", 327_680),
    ("one point one five times ten to the fifteen", 1.15e15),
    ("5.7 × 10¹⁴", 5.7e14),
    ("2^30", 2.0**30),
    ("two thirds", 2 / 3),
    ("a third of it", 1 / 3),
    ("a hundred", 100),
    ("twelve thousand two hundred fifty six", 12_256),
]

NAMES = [
    "one h two hundred",
    "the h one hundred's ridge",
    "an H200, a B200 and an A100",
    "in FP8, f p eight or fp eight, and INT4",
    "Llama 3.3",
    "GPT-4",
    "v1.2.3 of Python 3.12",
    "top-5 in Q3 of 2024",
    "twenty twenty five",
    "the p95 and the p ninety nine",
    "the 95th percentile, the ninety fifth",
    "one specific action, this one",
    "no. 3",
    "1. first\n2. second",
    "nine o'clock, 10:30 or 9 am",
    "2026-05-01",
    "24/7",
    "a third option",
    "zero-shot",
    "16-bit or eight bit",
    "E4M3",
    "",
]


@pytest.mark.parametrize(("said", "value", "unit"), MEASURED)
def test_a_number_with_a_unit_is_one_quantity(said: str, value: float, unit: str) -> None:
    (quantity,) = find_quantities(said)
    assert quantity.value == pytest.approx(value)
    assert quantity.unit is not None
    assert quantity.unit.symbol == unit


@pytest.mark.parametrize(("said", "value"), BARE)
def test_a_bare_number_has_no_unit(said: str, value: float) -> None:
    (quantity,) = find_quantities(said)
    assert quantity.value == pytest.approx(value)
    assert quantity.unit is None


@pytest.mark.parametrize("said", NAMES)
def test_a_number_that_names_something_is_no_quantity(said: str) -> None:
    assert find_quantities(said) == ()


@pytest.mark.parametrize(
    ("said", "precision"),
    [("about twenty", 0.5), ("14.6 ms", 0.05), ("167 thousand tokens", 500), ("8K", 500)],
)
def test_precision_is_half_a_unit_in_the_last_stated_place(said: str, precision: float) -> None:
    assert find_quantities(said)[0].precision == pytest.approx(precision)


def test_base_turns_decimal_and_binary_sizes_into_bytes() -> None:
    bases = [quantity.base for quantity in find_quantities("2.68 GB, 2.5 GiB and 8 kilobits")]
    assert bases == [pytest.approx(2.68e9), 2.5 * 2**30, 1000]


def test_the_first_number_of_a_range_takes_the_unit_of_the_second() -> None:
    units = [
        quantity.unit.symbol if quantity.unit else None
        for quantity in find_quantities("sixty to seventy percent, 5-15 ms, between 4 and 6 GB")
    ]
    assert units == ["%", "%", "ms", "ms", "GB", "GB"]


def test_between_parts_two_numbers_joined_by_and() -> None:
    values = [q.value for q in find_quantities("between eight hundred and three thousand cases")]
    assert values == [800, 3000]


def test_a_product_is_read_factor_by_factor() -> None:
    text = "2 x 80 layers x 8 KV heads x 128 x 2 bytes = 327,680 bytes"
    assert [q.value for q in find_quantities(text)] == [2, 80, 8, 128, 2, 327_680]


def test_a_spoken_answer_yields_its_quantities_in_order() -> None:
    text = (
        "okay numbers say lama seventy b in f p eight on one h two hundred the weights are seventy "
        "gigs over four point eight terabytes a second so fourteen point six milliseconds per step"
    )
    said = [quantity.text for quantity in find_quantities(text)]
    assert said == [
        "seventy b",
        "seventy gigs",
        "four point eight terabytes a second",
        "fourteen point six milliseconds per step",
    ]


_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_ONES += " fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def spell(number: int) -> str:
    """A number below a billion in words, without 'and'."""
    for size, name in ((10**6, "million"), (10**3, "thousand"), (100, "hundred")):
        if number >= size:
            head = f"{spell(number // size)} {name}"
            return f"{head} {spell(number % size)}" if number % size else head
    if number < 20:
        return _ONES.split()[number]
    tens = _TENS.split()[number // 10 - 2]
    return f"{tens} {spell(number % 10)}" if number % 10 else tens


@given(st.integers(min_value=0, max_value=10**9 - 1))
def test_words_and_digits_of_a_number_are_read_alike(number: int) -> None:
    for written in (str(number), f"{number:,}", spell(number)):
        (quantity,) = find_quantities(f"{written} tokens")
        assert quantity.value == number


@given(st.integers(0, 9999), st.text("0123456789", min_size=1, max_size=4))
def test_spoken_decimals_are_read_like_written_ones(whole: int, places: str) -> None:
    spoken = f"{spell(whole)} point {' '.join(spell(int(digit)) for digit in places)}"
    (quantity,) = find_quantities(f"{spoken} seconds")
    assert quantity.value == pytest.approx(float(f"{whole}.{places}"))
    assert quantity.precision == pytest.approx(0.5 * 10 ** -len(places))


_PIECES = (
    "one two fourteen seventy hundred thousand point and a half third of 14.6 8K 70B 2x 1,100 1e9 "
    "% $ ms GB/s per token second h two b f p k v ten to the times 10^ 10¹⁴ . - , : / 2024"
)


@given(st.lists(st.one_of(st.sampled_from(_PIECES.split()), st.text(max_size=3))).map(" ".join))
def test_spans_slice_to_the_text_and_never_overlap(text: str) -> None:
    end = 0
    for quantity in find_quantities(text):
        assert text[quantity.start : quantity.end] == quantity.text
        assert end <= quantity.start < quantity.end
        end = quantity.end


@given(st.text(st.characters(categories=None, codec=None), max_size=200))
def test_any_text_is_accepted(text: str) -> None:
    find_quantities(text)


@pytest.mark.parametrize(
    "text",
    [
        "😀" * 20_000,
        "\ud800 14 ms \udfff",
        "\u202e14.6 ms\u202c",
        "9" * 5_000,
        "one " * 5_000,
        "2^999",
        "1e9999",
        "0^-5",
        "K\u212a \u017fix 5",
        "٣ ms",
    ],
)
def test_hostile_text_is_survived(text: str) -> None:
    assert all(q.value < float("inf") for q in find_quantities(text))


PROSE = word_set(
    "I you we would for to too the that of a an it with when then so because won ate tea tree "
    "point part next measure merely milli terra tera giga seconds bytes tokens users percent "
    "memory cache weights oh and or from before after every per a while faster, slower. but, "
    "um, uh, you know. batch; queue - latency"
)


@given(st.lists(st.sampled_from(sorted(PROSE)), max_size=60).map(" ".join))
def test_prose_without_numbers_has_no_quantity(text: str) -> None:
    assert find_quantities(text) == ()


@pytest.mark.parametrize(
    "text",
    ["twenty to thirty milliseconds", "from sixty to seventy percent", "ten to twenty users"],
)
def test_the_to_of_a_range_is_no_figure(text: str) -> None:
    assert len(find_quantities(text)) == 2


def test_a_third_beside_a_number_in_digits_is_no_part_of_it() -> None:
    assert [q.value for q in find_quantities("10 and a third of the users")] == [10, 1 / 3]
