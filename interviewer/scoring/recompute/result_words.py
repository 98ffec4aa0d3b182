"""The words between a calculation and what it comes to: "which is about", "so that's", "="."""

_HEDGE = (
    r"(?:(?:um|uh|about|around|roughly|nearly|almost|approximately|only|just|some|like|maybe|or|so"
    r"|basically|in all|together|a total of|a|an|over|more than|well over|that|i mean)\b|[≈~])"
)
RESULT = (
    r"(?:[=≈→]|\b(?:that|it|this|which)(?:['’]s| is| are| makes| gives| means| leaves| comes to)"
    r"|\b(?:is|are|makes?|gives|equals|means|meant|leaves|so)\b|\bcomes (?:out )?(?:to|at)\b)"
    rf"(?:\s*{_HEDGE})*"
)
"""A pattern without anchors; white space may follow what it matches."""
