"""Numbers that are names, not quantities: H200, FP8, Llama 3.3, p95, top-5, 10:30, 2024, '1.'."""

from interviewer.quantities.digits import is_ordinal
from interviewer.quantities.tokens import Tokens, word_set
from interviewer.quantities.words import DIGITS, TENS, Numeral, below_hundred

# A number after one of these is part of the name, whatever follows it.
_STEMS = word_set(
    "h gb l v p q mi rtx fp bf int nf mxfp nvfp uint float gpt tp pp dp ep sm hbm gen layer-wise "
    "bert gddr ddr pcie"
)
# After these only when no unit follows: "Llama 70B" and "step 20 ms" are quantities.
_TITLES = word_set(
    "llama lama qwen gemma mistral phi claude deepseek python cuda vllm version no number top "
    "section chapter step figure table page phase question part level tier rule line item issue "
    "round option week month day year quarter port error http appendix tab seed kimi glm"
)
_NOT_THE_NUMBER = word_set(
    "this that the which every each no any some another first last next other only not"
)
_YEAR_CUES = word_set(
    "in since year until during late early mid by of from january february march april may june "
    "july august september october november december spring summer autumn winter fall end q"
)
_CLOCK = frozenset({"am", "pm", "o'clock", "o’clock", "oclock"})
_WORDS_BEFORE_HYPHEN = frozenset({"sub", "under", "over", "mid", "per"})


def skip_name(tokens: Tokens, index: int) -> int | None:
    """The index after a name whose number starts at a token; None where it is a quantity."""
    if tokens.is_digits(index):
        return _digits_of_name(tokens, index)
    return _words_of_name(tokens, index)


def _digits_of_name(tokens: Tokens, index: int) -> int | None:
    gap, before = tokens.gap(index), tokens.word(index - 1)
    if index and before[-1:].isalpha() and _hangs_on(gap, before):
        return _rest(tokens, index + 1)
    if gap.endswith(("@", "#", "№", "_")):
        return index + 1
    if (before in _STEMS and tokens.joined(index)) or _spelt(tokens, index):
        return _rest(tokens, index + 1)
    if tokens.gap(index + 1) == "" and tokens.word(index + 1) in ("st", "nd", "rd", "th"):
        return index + 2
    return _chain(tokens, index) or _marker(tokens, index)


def _hangs_on(gap: str, before: str) -> bool:
    """True for the number of 'H200' and 'top-5'; not for 'x80' or 'sub-200'."""
    if gap == "":
        return before != "x"
    return gap in ("-", "_") and before not in _WORDS_BEFORE_HYPHEN


def _rest(tokens: Tokens, index: int) -> int:
    """Past what still clings to a name: the 'M' and '3' of 'E4M3', the '7' and 'B' of '8x7B'."""
    while index < len(tokens) and tokens.gap(index) in ("", "."):
        if tokens.gap(index) == "." and not tokens.is_digits(index):
            break
        index += 1
    return index


def _chain(tokens: Tokens, index: int) -> int | None:
    """10:30, 3.12.4, 2024-05-01, 4/4/4/4, 24/7: numbers that belong together."""
    end = index + 1
    while tokens.is_digits(end) and tokens.gap(end) in ("", ":", "."):
        end += 1
    if end > index + 1:
        return end
    while tokens.is_digits(end) and tokens.gap(end) == tokens.gap(index + 1) in ("-", "/"):
        end += 1
    dated = tokens.gap(index + 1) == "/" or len(tokens.raw[index]) == 4
    if end > index + 2 and dated:
        return end
    return end if end == index + 2 and tokens.text[tokens.starts[index] :][:4] == "24/7" else None


def _marker(tokens: Tokens, index: int) -> int | None:
    """The '1.' or '(2)' of a list."""
    if not tokens.raw[index].isdecimal() or len(tokens.raw[index]) > 2:
        return None
    text, start, end = tokens.text, tokens.starts[index], tokens.ends[index]
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        return index + 1
    opens = not text[max(0, start - 12) : start].rpartition("\n")[2].strip(" \t>*-")
    at_line = opens and (start <= 12 or "\n" in text[max(0, start - 12) : start])
    return index + 1 if at_line and text[end : end + 2] in (". ", ") ", ".\t") else None


def _spelt(tokens: Tokens, index: int) -> bool:
    """True after a name spelt by a recogniser: 'f p', 'b f', 't p', 'g b'."""
    pair = tokens.word(index - 2), tokens.word(index - 1)
    return tokens.joined(index) and tokens.joined(index - 1) and pair in _SPELT


_SPELT = frozenset({("f", "p"), ("b", "f"), ("t", "p"), ("g", "b"), ("m", "i"), ("d", "p")})


def _words_of_name(tokens: Tokens, index: int) -> int | None:
    before = tokens.word(index - 1) if tokens.joined(index) else ""
    count = DIGITS.get(tokens.word(index), 0)
    if count in (1, 2, 3) and tokens.near(index + 1).startswith("hundred"):
        if before in ("h", "b", "gb", "l") or (tokens.word(index - 2), before) in _SPELT:
            return index + 2
        if before == "a" and tokens.near(index + 2) not in ("and", "percent"):
            return index + 2
    if not before or (before not in _STEMS and not _spelt(tokens, index)):
        return _ordinal(tokens, index)
    head = below_hundred(tokens, index)
    return head[1] if head else None


def _ordinal(tokens: Tokens, index: int) -> int | None:
    if tokens.word(index) in TENS and is_ordinal(tokens.near(index + 1)):
        follower = tokens.word(index + 1)
        return None if follower == "second" else index + 2
    return None


def is_label(tokens: Tokens, index: int, numeral: Numeral) -> bool:
    """True for a number that only labels: 'version 2', a year, 'this one', '9 am'."""
    before, after = tokens.word(index - 1), tokens.near(numeral.end)
    if after in _CLOCK or (after == "o" and tokens.word(numeral.end + 1) == "clock"):
        return True
    titled = tokens.joined(index) or tokens.gap(index) == ". "
    if before in _TITLES and titled and (tokens.is_digits(index) or numeral.value < 100):
        return True
    if _is_year(tokens, index, numeral):
        return True
    if tokens.word(index) == "one" and numeral.end == index + 1:
        return True
    # "zero-shot", "one-size-fits-all"
    return after.isalpha() and tokens.gap(numeral.end) == "-" and not tokens.is_digits(index)


def _is_year(tokens: Tokens, index: int, numeral: Numeral) -> bool:
    if not 1900 <= numeral.value <= 2099 or numeral.value % 1:
        return False
    if tokens.is_digits(index):
        plain = len(tokens.raw[index]) == 4 and numeral.end == index + 1
        return plain and 1990 <= numeral.value < 2040 and tokens.word(index - 1) in _YEAR_CUES
    return tokens.word(index) == "twenty" and numeral.end > index + 1


def is_pronoun(tokens: Tokens, index: int, numeral: Numeral) -> bool:
    """True for the 'one' of 'that one token': a pronoun although a noun follows."""
    alone = tokens.word(index) == "one" and numeral.end == index + 1
    return alone and tokens.word(index - 1) in _NOT_THE_NUMBER
