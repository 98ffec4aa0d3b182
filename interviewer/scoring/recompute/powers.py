"""Recomputes powers that are stated aloud: "0.98 to the power of 26 is 59 percent".

And what follows from one: how many tokens a speculative step yields. Knows no card.
"""

import re
from collections.abc import Iterator, Sequence

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import RESULT, StatedSum, is_cut_off

_TO_THE = re.compile(
    r"\s*(?:\^|\*\*|to the (?:power (?:of )?)?|raised to (?:the )?(?:power (?:of )?)?)\s*\Z",
    re.IGNORECASE,
)
_IS = re.compile(rf"(?:th\b)?(?: power)?\s*,?\s*{RESULT}\s*\Z", re.IGNORECASE)
_OFF = 0.10
_LEAST = 1e-9
_ACCEPTANCE = re.compile(r"accept", re.IGNORECASE)
_ACCEPTED = re.compile(r"accept|\bdraft|\balpha\b", re.IGNORECASE)
_DRAFTS = re.compile(r"\bdraft|\bpropos|\bguess|\bspeculat", re.IGNORECASE)
_PER_STEP = re.compile(
    r"\s*(?:tokens?\s*)?(?:per|a|each|every)\s*(?:target |verify |verification |big )*"
    r"(?:step|pass|forward|verification|round)\b",
    re.IGNORECASE,
)
_REACH = 260
_SOON = 60
_IN_CHAIN = re.compile(
    r"\b(?:in (?:a|one) (?:chain|row|series|sequence)|one after (?:the other|another)"
    r"|(?:chain|series|sequence|pipeline) of)\b",
    re.IGNORECASE,
)
_CHAIN_WORDS = (" chain", " row", " series", " sequence", "ne after ", "pipeline of")
_RIGHT = re.compile(r"\b(?:right|correct|accura\w+|reliab\w+|succe\w+|works?)\b", re.IGNORECASE)
_WITHOUT = re.compile(r"\b(?:retr\w+|vot\w+|check\w*|need\w*|must|target|instead)\b", re.IGNORECASE)
_MOST_DRAFTS = 16


def stated_powers(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every share raised to a whole number; what is stated may also be the rest to one."""
    for share, times, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        if not 0 < share.base < 1 or times.unit is not None or not _is_whole(times.value):
            continue
        if not _TO_THE.match(text[share.end : times.start]) or is_cut_off(text, share):
            continue
        if not _IS.match(text[times.end : said.start]) or not _is_share(said):
            continue
        power = share.base**times.value
        if power < _LEAST:
            continue
        right = min((power, 1 - power), key=lambda value: abs(said.base - value))
        factor = said.base / said.value
        allowed = max(_OFF * min(right, 1 - right), said.precision * factor)
        fits = abs(said.base - right) <= allowed
        shown = power if not fits else right
        yield StatedSum(said, shown / factor, text[share.start : times.end], fits)


def stated_chains(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every chain that is stated to be right more often than each of its members."""
    if not any(word in text for word in _CHAIN_WORDS):
        return
    for chain in _IN_CHAIN.finditer(text):
        length = _length(quantities, chain)
        before = [
            q
            for q in quantities
            if 0 < chain.start() - q.end < _REACH
            and _is_percent(q)
            and _RIGHT.search(text[max(0, q.start - 40) : q.end + 20])
        ]
        after = [q for q in quantities if 0 <= q.start - chain.end() < _SOON and _is_percent(q)]
        if length is None or not before or not after:
            continue
        each, said = before[0], after[0]
        if said.base > each.base > 0.5 and not _WITHOUT.search(text[chain.start() : said.end + 20]):
            expression = f"{each.text} to the power of {length:g}"
            yield StatedSum(said, 100 * each.base**length, expression, right=False)


def _length(quantities: Sequence[Quantity], chain: re.Match[str]) -> float | None:
    """How many members a chain has: 'a chain of three', 'five agents in a chain'."""
    for said in quantities:
        ahead, behind = said.start - chain.end(), chain.start() - said.end
        if (0 <= ahead <= 5 or 0 <= behind <= 14) and 2 <= said.value <= 100:
            return said.value
    return None


def stated_drafts(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Tokens of a speculative step: it ends at the first rejection, so they do not add up."""
    if not _ACCEPTANCE.search(text):
        return
    for at, said in enumerate(quantities):
        plain = said.unit is None or said.dimension in ("tokens", "tokens/count")
        if not plain or not 1 < said.value <= _MOST_DRAFTS + 1:
            continue
        if not (said.unit and "/" in said.unit.symbol) and not _PER_STEP.match(
            text[said.end : said.end + 40]
        ):
            continue
        before = [other for other in quantities[:at] if said.start - other.end < _REACH]
        shares = [
            other for other in before if 0.2 < other.base < 1 and _speaks(text, other, _ACCEPTED)
        ]
        drafts = [other for other in before if _counts_drafts(text, other)]
        if not shares or not drafts:
            continue
        alpha, count = shares[-1].base, drafts[-1].value
        right = (1 - alpha ** (count + 1)) / (1 - alpha)
        naive = (alpha * count, alpha * count + 1)
        if (
            min(abs(said.value / value - 1) for value in naive) > 0.02
            or abs(said.value / right - 1) < _OFF
        ):
            continue
        expression = f"acceptance of {shares[-1].text} over {drafts[-1].text}"
        yield StatedSum(said, right, expression, right=False)


def _is_percent(said: Quantity) -> bool:
    return said.unit is not None and said.unit.symbol == "%" and 0 < said.value < 100


def _counts_drafts(text: str, said: Quantity) -> bool:
    plain = said.unit is None or said.dimension == "tokens"
    counts = plain and 2 <= said.value <= _MOST_DRAFTS and _is_whole(said.value)
    return counts and _speaks(text, said, _DRAFTS)


def _speaks(text: str, said: Quantity, of: re.Pattern[str]) -> bool:
    return of.search(text, max(0, said.start - 40), said.end + 30) is not None


def _is_whole(value: float) -> bool:
    return value == int(value) and 2 <= value <= 10_000


def _is_share(said: Quantity) -> bool:
    return 0 < said.base < 1 and (said.unit is None or said.unit.symbol == "%")
