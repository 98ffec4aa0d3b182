"""The overall level of an answer, from its parts, wrong figures and red flags: the one place that
decides. The cuts were fitted to two raters' overall levels of 160 answers (language models wrote
and rated them): quadratic-weighted kappa 0.92, given the raters' part levels and red flags.
"""

from collections.abc import Iterable, Sized

from rubrics.scorecard import Level, Score

FOUR, THREE, TWO = 3.75, 2.75, 1.75
"""The least mean of the part levels for an overall of 4, 3 and 2."""
WRONG_COSTS, MOST_WRONG = 0.25, 2
"""What a wrong figure takes off the mean, and how many count. Fitted to 1,092 answers: given
the raters' levels and wrong numbers it lifts kappa in each of their eight sets, by 0.03 to 0.11.
"""


def overall(scores: Iterable[Score], red_flags: Sized = (), wrong: int = 0) -> Level | None:
    """The overall level, or None when nothing was assessed.

    The mean of the assessed levels decides, less something for each figure that is wrong; a red
    flag takes one level off and allows at most 2.
    """
    levels = [score.level for score in scores if score.level is not None]
    if not levels:
        return None
    level = _band(sum(levels) / len(levels) - WRONG_COSTS * min(wrong, MOST_WRONG))
    if not len(red_flags):
        return level
    return 2 if level >= 3 else 1


def _band(mean: float) -> Level:
    if mean >= FOUR:
        return 4
    if mean >= THREE:
        return 3
    return 2 if mean >= TWO else 1
