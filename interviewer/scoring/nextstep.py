"""The next step:
a specific action that follows, with its metric, owner or date, and what it would decide."""

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer
from interviewer.scoring.learned import key_points_weight, learned, learned_weights
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from interviewer.scoring.words import Hit
from rubrics.scorecard import Part

LATE = 0.5
"""The share of the answer after which a step counts as its close."""
CLOSE = 0.62
"""From here on an answer without an announced step is read as its close."""
MARK = cues(
    r"""
    next(?! (?:to|token|tokens|word|door|line|request|requests) )
    (?:the )?first (?:thing|step)?(?: that)? ?(?:i'd|i would|i'll|i|we)\b|first thing
    what i'd (?:do|check|want|try)|what i (?:do|would do|changed|have changed)
    i'd (?:start|begin) (?:by|with)|before (?:i|we|choosing|touching|anything|any|writing|the)
    tomorrow|tonight|this week|afterwards|since then|after (?:this|that)(?: i)?|then i'd
    i changed|from (?:then|now|friday|monday) on|my (?:next|first) (?:question|step)
    on (?:monday|tuesday|wednesday|thursday|friday)|day one|week one|in the first week|month one
    next steps?|as a next step|i'd then|what happens next|i would then|still would
    """
)
ACTION = cues(
    r"""
    go through|open|gets?|refuses?|move|sort|kills?
    replay\w*|measur\w+|run|rerun|pull|ask(?:s|ed)?|label\w*|log|export\w*|compar\w+|count\w*
    benchmark\w*|time|load test|take|write|grade|record|sample|test(?:s|ed)?|check\w*
    calibrat\w+|read|plot|interview|sit with|list|add(?:ed)?|diff|hand|cap|lower|raise|cut
    set up|build|kill|pick|review|audit|verify|schedule|ship|publish|match\w*|made|put|agree
    shadow|collect|try|change|drill
    """
)
_WHEN = r"(?:by|before|on|until|from|every|each|this|next|last|in|within|after|for|over)"
_HOW_MANY = r"(?:(?:the|a|end of|first|second|next|same|one|two|three|four|\d+) )*"
_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|weekend)s?"
_SPAN = r"(?:minute|hour|day|week|month|quarter|sprint|morning|afternoon|night|release)s?"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
DATE = cues(
    rf"""
    {_WHEN} {_HOW_MANY}(?:{_DAY}|{_SPAN}|{_MONTH})
    (?:day|week|month) (?:one|two|three|\d)|tomorrow|tonight|today|same day|weekly|daily
    {_DAY}|go live|(?:kick ?off|review|launch)
    """
)
DECISION = cues(
    r"""
    if\b.{0,90}?\b(?:i|i'd|we|we'd|it|the|then|my|they|you|he|she|that)|otherwise|decides?
    only (?:if|then|when)|whether|unless|until|go live|no go|stops?|roll back|before (?:i|we)
    (?:below|above|under|over) .{0,30}(?:i|we|it|then)
    """
)
GENERIC = cues(
    r"""
    monitor(?: it| the| this)?|(?:bench ?mark|test|load test|try|evaluate|check|measure) (?:it|this)
    (?:bench ?mark|test|try|evaluate|check) (?:that|things|out|the (?:system|results?))
    go(?:ing)? deeper|improve (?:it|the \w+|over time)|keep (?:improving|an eye|learning)|iterate
    as needed|see what (?:comes|happens)|over time|discuss|look into|continuously|follow up
    test a few|refine it|happy to|work closely|keep the stakeholders
    """
)


def steps(answer: Answer) -> list[Hit]:
    """Where an action is announced as the next thing to do."""
    return [hit for hit in answer.words.find(MARK) if answer.near([hit], ACTION, 3, 22)]


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against the next step."""
    words = answer.words
    length = len(words)
    acts = steps(answer)
    late = [hit for hit in acts if hit.first >= length * LATE]
    best = late or acts
    start = best[0].first if best else int(length * CLOSE)
    window = (start, length)
    decisions = words.find(DECISION, *window)
    dates = words.find(DATE, *window)
    generic = words.find(GENERIC, int(length * 0.4))
    return {
        **learned(answer, Part.NEXTSTEP),
        "key_points": answer.points_made(answer.card.key_points.nextstep, length, unknown=0.3),
        "late": Found(1.0 if late else 0.0, late),
        "decides": Found(share(len(decisions), 2), decisions),
        "dated": Found(share(len(dates), 2), dates),
        "generic": Found(share(len(generic), 1), generic),
    }


RULE = PartRule(
    part=Part.NEXTSTEP,
    signs=signs,
    weights={
        **learned_weights(
            Part.NEXTSTEP,
            "it says what you would do next",
            "it does not say plainly what you would do next",
            "step",
        ),
        "key_points": key_points_weight("steps"),
        "late": Weight(
            True,
            "the step follows from the answer",
            "no next step is announced at the end",
            about="step",
        ),
        "decides": Weight(
            True,
            "it says what the result would decide",
            "it does not say what the result would decide",
        ),
        # Not praised: a launch or a review may be a kernel's or a document's, and no date at all.
        "dated": Weight(True, "", "there is no date"),
    },
    shows=("said", "late"),
    borderline="generic",
    nothing="No next step was recognised in what you said.",
)
