"""The next step:
a specific action that follows, with its metric, owner or date, and what it would decide."""

import re

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from rubrics.scorecard import Part

MARK = cues(
    r"""
    next(?! (?:to|token|word|door|line|request))
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
    replay\w*|measur\w+|run|rerun|pull|ask(?:s|ed)?|label\w*|log|export\w*|compar\w+|count\w*
    benchmark\w*|time|load test|take|write|grade|record|sample|test(?:s|ed)?|check\w*
    calibrat\w+|read|plot|interview|sit with|list|add(?:ed)?|diff|hand|cap|lower|raise|cut
    set up|build|kill|pick|review|audit|verify|schedule|ship|publish|match\w*|made|put|agree
    shadow|collect|try|change|drill
    """
)
DATE = cues(
    r"""
    bys?|befores?|ons?|untils?|froms?|everys?|eachs?|thiss?|nexts?|lasts?|ins?|withins?|afters?
    fors?|twos?|threes?|ones?|firsts?|a) (?:the )?(?:end of )?(?:first s?|second s?|\d+ s?
    next s?|one s?|two s?|three s?|same )?(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?
    days?|weeks?|months?|quarters?|mornings?|hours?|afternoons?|nights?|januarys?|februarys?
    marchs?|aprils?|mays?|junes?|julys?|augusts?|septembers?|octobers?|novembers?|decembers?
    releases?|sprints?|reviews?|kick ?offs?|minutes?s?|hours?s?|days?s?|weeks?s?|months?s?
    day (?:one|two|three|\d)|week (?:one|two|\d)|month (?:one|two|\d)|tomorrow|tonight|today
    same day|weekly|daily|go live|monday|tuesday|wednesday|thursday|friday
    """
)
OWNER = cues(
    r"""
    the|their|a|with|an|two|our|customer's|your|of|its|product|platform|data|ops|claims|topic
    prompt|document|engine|domain)(?: \w+)? (?:owners?|leads?|experts?|team|office|engineers?
    analysts?|agents?|managers?|adjusters?|dba|provider|vendor|on call|sponsor|users?|customers?
    clerks?|security|legal|architect|operators?|partner|people|person|on call
    """
)
DECISION = cues(
    r"""
    if\b.{0,90}?\b(?:i|i'd|we|we'd|it|the|then|my|they|you)|otherwise|only (?:if|then|when)
    decides?|whether|below .{0,30}(?:i|we|it)|above .{0,30}(?:i|we|it)|unless|until|go live
    no go|stops?|roll back|before (?:i|we)
    """
)
GENERIC = cues(
    r"""
    monitor(?: it| the| this)?|bench ?mark|test|load test|try|evaluate|check|measure) (?:it|this
    that|things|out|the (?:system|results?))\b(?! on| with| for| against| in|go(?:ing)? deeper
    improve (?:it|the \w+|over time)|keep (?:improving|an eye|learning|the stakeholders)|iterate
    as needed|see what (?:comes|happens)|over time|discuss|look into|continuously|follow up
    test a few|refine it|happy to|work closely
    """
)
NOTHING = re.compile(
    r"\b(?:that's it|that is it|that's all|that would be it|that's how i'd do it|that's my answer)$"
)


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against the next step."""
    words = answer.words
    length = len(words)
    marks = words.find(MARK)
    acts = [hit for hit in marks if answer.near([hit], ACTION, 3, 22)]
    late = [hit for hit in acts if hit.first >= length * 0.45]
    best = late or acts
    start = best[0].first if best else length
    window = (start, length)
    decisions = words.find(DECISION, *window) if best else []
    dates = words.find(DATE, *window) if best else []
    owners = words.find(OWNER, *window) if best else []
    figures = answer.figures_in(*window) if best else []
    generic = words.find(GENERIC, int(length * 0.4))
    tail_marks = words.find(MARK, int(length * 0.6))
    return {
        "key_points": answer.points_made(answer.card.key_points.nextstep, length),
        "marked": Found(1.0 if acts else 0.0, acts),
        "late": Found(1.0 if late else 0.0, late),
        "tail_mark": Found(share(len(tail_marks), 2), tail_marks),
        "decides": Found(share(len(decisions), 2), decisions),
        "dated": Found(share(len(dates), 2), dates),
        "owned": Found(share(len(owners), 1), owners),
        "figures": Found(share(len(figures), 3), figures),
        "actions": Found(share(len(words.find(ACTION, *window)) if best else 0, 4)),
        "generic": Found(share(len(generic), 1), generic),
        "generic_only": Found(1.0 if generic and not late else 0.0, generic),
        "stops": Found(1.0 if words.find(NOTHING) else 0.0),
        "hedged": Found(share(answer.hedges, 5)),
        "platitudes": Found(share(answer.platitudes, 4)),
    }


RULE = PartRule(
    part=Part.NEXTSTEP,
    signs=signs,
    weights={
        "key_points": Weight(0.8, "it makes the points that matter for this question"),
        "marked": Weight(0.16, "a next step is named"),
        "late": Weight(0.63, "", "no step follows from the claim"),
        "tail_mark": Weight(0.42),
        "decides": Weight(
            0.59, "its result would decide something", "nothing depends on its result"
        ),
        "dated": Weight(0.2, "it has a date", "it has no date"),
        "owned": Weight(-0.22),
        "figures": Weight(0.34, "it has a figure to go by", "it has no metric"),
        "actions": Weight(0.34, "it is a concrete action", "the action stays vague"),
        "generic": Weight(-0.32, "it is generic"),
        "generic_only": Weight(0.5),
        "stops": Weight(-0.17, "the answer just stops"),
        "hedged": Weight(-0.09),
        "platitudes": Weight(0.07),
    },
    base=1.08,
    thresholds=(1.9, 2.9, 3.3),
    needed=("marked", "generic", "tail_mark"),
    shows=("late", "marked", "tail_mark", "generic"),
    nothing="No next step was found.",
)
