"""Cue phrases as data: alternatives over several lines become one pattern on cleaned words."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

_LONGEST = 800
"""Characters of an alternative once its first group is multiplied out: longer ones take more time
to compile at the start than they save later.
"""
_LETTER = re.compile(r"[a-z](?![?*+{])")
_REPEATED = re.compile(r"[*+{]|\?[?+]")


def cues(alternatives: str) -> re.Pattern[str]:
    """A pattern that finds any of the alternatives as whole words; a line break separates like '|'.

    It is for words with a space before and after each: twice as fast as word boundaries. And it is
    laid out by first letters, which is twice as fast again: alternatives that can match at the same
    place keep their order.
    """
    lines = "|".join(line.strip() for line in alternatives.strip().splitlines())
    all_of_them = [each for alternative in _cut(lines) for each in _multiplied(alternative)]
    laid_out: list[str] = []
    for plain, run in groupby(all_of_them, key=lambda each: bool(_LETTER.match(each))):
        lay_out = _by_letter if plain else list
        laid_out += lay_out(run)
    return re.compile(rf" (?:{'|'.join(laid_out)})(?= )")


def _cut(pattern: str) -> list[str]:
    """The alternatives of a pattern: it is cut at the bars that stand in no group."""
    pieces, depth = [""], 0
    for piece in re.split(r"([(|)])", pattern):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            pieces.append("")
        else:
            pieces[-1] += piece
    return pieces


def _multiplied(alternative: str) -> list[str]:
    """An alternative for each of those in the group that it begins with, if it does."""
    if not alternative.startswith("(?:"):
        return [alternative]
    group, rest = _first_group(alternative)
    if _REPEATED.match(rest):
        return [alternative]
    heads = [*_cut(group), ""] if rest.startswith("?") else _cut(group)
    rest = rest.removeprefix("?")
    found = [each for head in heads for each in _multiplied(head + rest)]
    return found if sum(map(len, found)) < _LONGEST else [alternative]


def _first_group(alternative: str) -> tuple[str, str]:
    """What stands in the group at the beginning, and what follows it."""
    depth = 0
    for at, letter in enumerate(alternative):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return alternative[3:at], alternative[at + 1 :]
    raise re.error("unterminated group", alternative)


def _by_letter(alternatives: Iterable[str]) -> Iterator[str]:
    after: dict[str, list[str]] = {}
    for alternative in alternatives:
        after.setdefault(alternative[0], []).append(alternative[1:])
    return (f"{letter}(?:{'|'.join(rest)})" for letter, rest in after.items())
