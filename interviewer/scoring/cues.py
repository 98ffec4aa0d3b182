"""Cue phrases as data: alternatives over several lines become one pattern on cleaned words."""

import re


def cues(alternatives: str) -> re.Pattern[str]:
    """A pattern that finds any of the alternatives as whole words; a line break separates like '|'.

    It is for words with a space before and after each: twice as fast as word boundaries.
    """
    lines = (line.strip() for line in alternatives.strip().splitlines())
    return re.compile(rf" (?:{'|'.join(lines)})(?= )")
