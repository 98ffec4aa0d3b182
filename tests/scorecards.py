"""Scorecards with all parts, of which a test names those that it is about."""

from rubrics.scorecard import Part, Score


def all_parts(*given: Score) -> tuple[Score, ...]:
    """The scores given, and one that was not assessed for each other part, in their order."""
    named = {score.part: score for score in given}
    return tuple(
        named.get(part) or Score(part=part, level=None, reason="unsaid", state="not_assessed")
        for part in Part
    )
