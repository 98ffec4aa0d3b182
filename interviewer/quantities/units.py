"""Units of the field and how people write and say them. GB is 1e9 bytes and GiB is 2^30."""

from dataclasses import dataclass

from interviewer.quantities.tokens import Tokens, tokenise, word_set


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: `factor` turns a value in it into the dimension's base (s, bytes, flop, 1, ...)."""

    symbol: str
    dimension: str
    """One of the atoms below, or atoms with '/': 'bytes/time', 'bytes/tokens', 'usd/tokens'."""
    factor: float = 1.0


_PREFIXES = {"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15, "exa": 1e18}
_BINARY = {"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi"}
_COUNTED = (
    "user request sequence stream session call query prompt gpu card replica node worker server "
    "layer head block step copy sample case document page invoice claim message transaction "
    "conversation chunk sentence word agent call customer question answer expert rank device"
)
_IRREGULAR = {"query": "queries", "copy": "copies"}


def _time() -> dict[str, Unit]:
    names: dict[str, tuple[str, float]] = {
        "ns nanosecond nanoseconds": ("ns", 1e-9),
        "us µs μs microsecond microseconds": ("µs", 1e-6),
        "ms msec msecs millisecond milliseconds millis": ("ms", 1e-3),
        "s sec secs second seconds": ("s", 1.0),
        "min mins minute minutes": ("min", 60.0),
        "hr hrs hour hours": ("h", 3600.0),
        "day days": ("days", 86400.0),
        "week weeks": ("weeks", 604800.0),
        "month months": ("months", 2629800.0),
        "year years": ("years", 31557600.0),
    }
    return _spread(names, "time")


def _spread(names: dict[str, tuple[str, float]], dimension: str) -> dict[str, Unit]:
    return {
        name: Unit(symbol, dimension, factor)
        for group, (symbol, factor) in names.items()
        for name in group.split()
    }


def _sizes() -> dict[str, Unit]:
    units = _spread({"byte bytes": ("bytes", 1.0), "bit bits": ("bits", 0.125)}, "bytes")
    units |= _spread(
        {"gig gigs": ("GB", 1e9), "meg megs": ("MB", 1e6), "gib": ("GiB", 2.0**30)}, "bytes"
    )
    units |= _spread({"kib": ("KiB", 1024.0), "mib": ("MiB", 2.0**20)}, "bytes")
    for prefix, factor in _PREFIXES.items():
        letter = "k" if prefix == "kilo" else prefix[0].upper()
        size = Unit(f"{letter.upper()}B", "bytes", factor)
        bits = Unit(f"{letter}bit", "bytes", factor / 8)
        units |= {f"{prefix}byte": size, f"{prefix}bytes": size}
        units |= {f"{prefix}bit": bits, f"{prefix}bits": bits, f"{letter}bit".lower(): bits}
        units[f"{letter.lower()}b"] = size
        units[f"{letter.lower()}bps"] = Unit(f"{letter}bit/s", "bytes/time", factor / 8)
    for power, (prefix, symbol) in enumerate(_BINARY.items(), start=1):
        size = Unit(f"{symbol}B", "bytes", 1024.0**power)
        units |= {f"{prefix}byte": size, f"{prefix}bytes": size, f"{symbol}B".lower(): size}
    return units


def _compute() -> dict[str, Unit]:
    units = _spread({"flop flops op ops operation operations": ("FLOP", 1.0)}, "flop")
    for prefix, factor in _PREFIXES.items():
        letter = prefix[0].upper() if prefix != "kilo" else "K"
        rate = Unit(f"{letter}FLOP/s", "flop/time", factor)
        units |= {f"{prefix}flop": rate, f"{prefix}flops": rate}
        units |= {f"{letter}flops".lower(): rate, f"{letter}ops".lower(): rate}
        units[f"{letter}flop".lower()] = Unit(f"{letter}FLOP", "flop", factor)
    return units


def _counts() -> dict[str, Unit]:
    units = _spread({"person people": ("people", 1.0)}, "count")
    for noun in _COUNTED.split():
        plural = _IRREGULAR.get(noun, f"{noun}s")
        units[noun] = units[plural] = Unit("GPUs" if noun == "gpu" else plural, "count")
    units |= _spread({"token tokens tok toks": ("tokens", 1.0)}, "tokens")
    parameters = "parameter parameters param params"
    units |= _spread({parameters: ("parameters", 1.0)}, "parameters")
    units |= _spread({"req reqs": ("requests", 1.0)}, "count")
    units |= _spread({"rps qps": ("requests/s", 1.0)}, "count/time")
    return units | _spread({"tps": ("tokens/s", 1.0)}, "tokens/time")


def _others() -> dict[str, Unit]:
    units = _spread({"% percent percents pct": ("%", 0.01), "x × times fold": ("x", 1.0)}, "ratio")
    units |= _spread({"pp": ("points", 0.01)}, "ratio")
    units |= _spread({"$ dollar dollars usd": ("$", 1.0), "cent cents": ("cents", 0.01)}, "usd")
    units |= _spread({"€ euro euros eur": ("€", 1.0)}, "eur")
    units |= _spread({"£ pounds gbp": ("£", 1.0)}, "gbp")
    units |= _spread({"watt watts": ("W", 1.0), "kilowatt kilowatts kw": ("kW", 1e3)}, "power")
    return units | _spread({"megawatt megawatts mw": ("MW", 1e6)}, "power")


_SPOKEN: dict[str, Unit] = _time() | _sizes() | _compute() | _counts() | _others()

# Where the case of a letter decides: FLOPS is a rate, FLOPs a count; Gb is a bit, GB a byte.
_WRITTEN: dict[str, Unit] = {
    "B": Unit("bytes", "bytes", 1.0),
    "h": Unit("h", "time", 3600.0),
    "W": Unit("W", "power", 1.0),
    "FLOPS": Unit("FLOP/s", "flop/time", 1.0),
    "FLOPs": Unit("FLOP", "flop", 1.0),
} | {
    f"{letter}FLOPs": Unit(f"{letter}FLOP", "flop", factor)
    for letter, factor in zip("KMGTPE", _PREFIXES.values(), strict=True)
}
_WRITTEN |= {
    f"{letter}b": Unit(f"{letter}bit", "bytes", factor / 8)
    for letter, factor in zip("MGT", (1e6, 1e9, 1e12), strict=True)
}

_WRITTEN |= {
    f"{letter}Bps": Unit(f"{letter}B/s", "bytes/time", factor)
    for letter, factor in zip("KMGT", _PREFIXES.values(), strict=False)
}

# A unit whose first part recognisers write as a word of its own: "milli seconds", "terra bytes".
_FIRST_PARTS = {part: part for part in (*_PREFIXES, *_BINARY, "milli", "micro", "nano")} | {
    "mili": "milli",
    "milly": "milli",
    "merely": "milli",
    "terra": "tera",
    "kibby": "kibi",
    "gibby": "gibi",
}

_ADJECTIVES = word_set(
    "concurrent simultaneous parallel prompt output input generated new dense sparse decode "
    "prefill cached active total extra more kv attention query transformer usable decimal binary "
    "live floating tensor peak context bf fp k v spare warm short long real labelled"
)
_MULTIPLES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "m": 1e6}
# Dimensions of signs, which stand directly after their number.
_SIGNS = frozenset({"ratio", "usd", "eur", "gbp"})
# After a number in words a single letter begins a name: "one h two hundred".
_LETTERS = frozenset("hsbw")
_PER = frozenset({"per", "a", "an", "each", "every"})


def atom(tokens: Tokens, index: int) -> Unit | None:
    """The unit that one token names, if any."""
    if not 0 <= index < len(tokens):
        return None
    written = _WRITTEN.get(tokens.raw[index])
    return written or _SPOKEN.get(tokens.words[index])


def read_unit(tokens: Tokens, index: int) -> tuple[Unit, int] | None:
    """The unit that starts at a token, with the index after it; a few adjectives may precede it."""
    if not tokens.joined(index):
        return None
    if tokens.words[index] in _LETTERS and not tokens.is_digits(index - 1):
        return None
    head = _head(tokens, index)
    if head is None:
        return None
    return with_denominators(tokens, head[1], head[0])


def with_denominators(tokens: Tokens, index: int, unit: Unit) -> tuple[Unit, int]:
    """A unit with the '/s' or 'per million tokens' after it, and the index after all of it."""
    for _ in range(2):
        denominator = _denominator(tokens, index)
        if denominator is None:
            break
        below, index = denominator
        symbol = f"{unit.symbol}/{below.symbol}"
        unit = Unit(symbol, f"{unit.dimension}/{below.dimension}", unit.factor / below.factor)
    return unit, index


def _head(tokens: Tokens, index: int) -> tuple[Unit, int] | None:
    word = tokens.words[index]
    if word == "per" and tokens.near(index + 1) == "cent":
        return _SPOKEN["%"], index + 2
    apart = _SPOKEN.get(_FIRST_PARTS.get(word, "?") + tokens.near(index + 1))
    if apart is not None:
        return apart, index + 2
    if word == "percentage" and tokens.near(index + 1) in ("point", "points"):
        return _SPOKEN["pp"], index + 2
    for skipped in range(4):
        at = index + skipped
        found = atom(tokens, at)
        if found is not None and not _qualifies(tokens, at):
            if found.symbol == "GPUs":
                found, at = _gpu_time(tokens, at, found)
            # 'more' or 'total' may stand before a noun, never before a sign or a ratio
            return (found, at + 1) if not skipped or found.dimension not in _SIGNS else None
        if not tokens.joined(at + 1):
            return None
        if tokens.near(at) not in _ADJECTIVES and not _precision(tokens, at):
            return None
    return None


def _qualifies(tokens: Tokens, index: int) -> bool:
    """True for the 'prompt' of 'prompt tokens', a noun that only qualifies the next."""
    return tokens.words[index] in _ADJECTIVES and atom(tokens, index + 1) is not None


def _gpu_time(tokens: Tokens, index: int, gpus: Unit) -> tuple[Unit, int]:
    """'GPU-hours' and 'gpu seconds' are times."""
    after = atom(tokens, index + 1) if tokens.joined(index + 1) else None
    if after is None or after.dimension != "time" or tokens.words[index] != "gpu":
        return gpus, index
    return Unit(f"GPU-{after.symbol}", "time", after.factor), index + 1


def _precision(tokens: Tokens, index: int) -> bool:
    """True for the digits of 'FP8' or 'BF16' between a number and its unit."""
    return tokens.word(index) in ("8", "16", "eight", "sixteen") and tokens.word(index - 1) in (
        "fp",
        "bf",
        "p",
        "f",
    )


def _denominator(tokens: Tokens, index: int) -> tuple[Unit, int] | None:
    if index >= len(tokens):
        return None
    if tokens.gap(index).strip(" ") != "/":
        if tokens.near(index) not in _PER or not tokens.joined(index + 1):
            return None
        index += 1
    multiple, index = _multiple(tokens, index)
    index += index < len(tokens) and _qualifies(tokens, index)
    below = atom(tokens, index)
    if below is None or below.dimension in _SIGNS or not (multiple == 1 or tokens.joined(index)):
        return None
    if below.symbol == "GPUs":
        below, index = _gpu_time(tokens, index, below)
    symbol = _SINGULAR.get(below.symbol, below.symbol)
    if multiple != 1:
        symbol = f"{multiple:,.0f} {below.symbol}"
    return Unit(symbol, below.dimension, below.factor * multiple), index + 1


def _count(raw: str) -> float:
    digits = "".join(filter(str.isdecimal, raw))
    return float(digits) or 1.0


def _multiple(tokens: Tokens, index: int) -> tuple[float, int]:
    """The million of 'per million tokens' and of '/1M tokens'."""
    multiple = 1.0
    if tokens.is_digits(index) and tokens.near(index + 1) in _MULTIPLES:
        multiple, index = _count(tokens.raw[index]), index + 1
    if tokens.word(index) in _MULTIPLES:
        multiple, index = multiple * _MULTIPLES[tokens.words[index]], index + 1
    return multiple, index


_SINGULAR = {unit.symbol: unit.symbol.removesuffix("s") for unit in _counts().values()} | {
    "days": "day",
    "weeks": "week",
    "months": "month",
    "years": "year",
    "bytes": "byte",
    "queries": "query",
    "copies": "copy",
    "people": "person",
}


def parse_unit(text: str) -> Unit:
    """A unit as written on a card ('ms', 'GB/s', 'KiB/token'); ValueError when it is unknown."""
    tokens = tokenise(f"1 {text}")
    found = read_unit(tokens, 1)
    if found is None or tokens.ends[found[1] - 1] != len(tokens.text.rstrip()):
        raise ValueError(
            f"unit={text!r} is unknown: use one such as 'ms', 'GB/s', 'KiB/token', '%'"
        )
    return found[0]
