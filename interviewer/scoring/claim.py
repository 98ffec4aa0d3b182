"""The claim:
is there an answer to the question, how early, how committed, and does it frame the rest."""

from interviewer.scoring.contradiction import contradiction
from interviewer.scoring.cues import cues
from interviewer.scoring.features import HEDGE, PLATITUDE, Answer
from interviewer.scoring.labels import labelled
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from rubrics.scorecard import Part

OPENING = 45
"""Words that make 'the first sentence or two'."""

_COMMIT = cues(
    r"""
    i'd|i would|i'll|i will|i (?:don't|do not|never|always)|i keep|i cut|i scale|i use|i trace
    i treat|i quantize|i owned|i told|i refused|i decided|i chose|i built|i led|i ran|i said
    i let|i start|i take|i put|i split|i batch|i log|i count|i read|i fix|i roll|i measure
    i want|i was (?:the )?(?:owner|lead|responsible)|because|unless|not (?:the|a|an|by|on)|never
    instead of|rather than|it's (?:working|marketing|physics)|the answer is|my answer
    """
)
_FRAME = cues(
    r"""
    because|since|unless|as long as|only (?:when|if|where|once)
    if (?:the|it|you|they|we|i|a|your|yes|no)|when (?:the|it|you|i)
    (?:what|that|which|one ratio|this|it) decides|decided by
    depends on (?:the|how|whether|one|two|what)|is set by
    the (?:limit|reason|thing that|part that|bottleneck) (?:is|that)|comes down to|rather than
    instead of|and not|so that|until|except|that matters|not (?:the|compute|flops|on|by)
    it's (?:not )?(?:the )?memory
    """
)
_PREAMBLE = cues(
    r"""
    some background|first (?:of all )?(?:some|a bit of|why|what|let)|let me (?:start|begin|first)
    let me (?:think|say|build|walk|explain)|to start with|before i (?:answer|say|get)
    there (?:are|is) (?:a few|several|many|different|always|some|a lot)
    (?:is|are) (?:an?|one of the|the) (?:very |really |most )?(?:important|interesting|key|broad)
    (?:is|are) (?:an?|one of the|the) (?:very |really |most )?(?:big|complex|exciting|oldest|best)
    is the (?:way|foundation|exponential|art)|is a (?:distributed|smaller|topic)|is an art
    people (?:usually|often|use)|most (?:teams|people|providers)|in the (?:past|early)|historically
    it is worth|it's worth|good question|great question|makes sense to look|several angles
    should first talk|in my career|i believe|i think (?:feedback|it's important)|has occupied
    has been (?:discussed|around)|is well known|came with|mergers are|it depends|really depends
    could be done|how do we know|different ways|i've seen|in general|generally|could not be better
    it's a bit hard|always like|i've been thinking|i don't remember|everybody starts with
    the thing is|used to|would be nice|from the beginning|we had this|so that's|i would guess
    """
)
_LATE = cues(
    r"""
    so what i would (?:do|say)|what i would do to|so to come to|anyway|in summary
    to summari[sz]e|to sum up|long story short|coming back to|to answer (?:your|the) question
    in short|so in the end|bottom line
    """
)
_REVERSAL = cues(
    r"""
    that said|so overall|so to summari[sz]e|how we made it in the end|on second thought
    so yeah basically|having said that|so in the end i would|actually no
    """
)


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against a claim."""
    words = answer.words
    opening = words.find(_COMMIT, 0, OPENING)
    frame = words.find(_FRAME, 0, OPENING + 15)
    preamble = words.find(_PREAMBLE, 0, OPENING)
    late = words.find(_LATE, OPENING)
    listed = len(answer.figures) >= 5 and len(answer.chained) <= len(answer.figures) / 6
    return {
        "key_points": answer.points_made(answer.card.key_points.claim, OPENING + 25, unknown=0.3),
        "commits": Found(share(len(opening), 2), opening),
        "frames": Found(share(len(frame), 2), frame),
        "preamble": Found(share(len(preamble), 1), preamble),
        "preamble_long": Found(share(len(preamble), 3), preamble),
        "late": Found(share(len(late), 1), late),
        "on_topic": Found(share(answer.topic_share(), 0.7)),
        "off_topic": Found(1.0 if answer.topic_share() < 0.4 else 0.0),
        "hedged": Found(share(answer.hedges, 5), words.find(HEDGE)),
        "hedged_opening": Found(share(len(words.find(HEDGE, 0, OPENING)), 2)),
        "rambles": Found(share(answer.rambling, 8)),
        "platitudes": Found(share(answer.platitudes, 4), words.find(PLATITUDE)),
        "reverses": Found(share(len(words.find(_REVERSAL, len(words) // 2)), 1)),
        "contradicts": Found(1.0 if contradiction(answer) else 0.0),
        "listed": Found(1.0 if listed else 0.0),
        "name_dropped": Found(share(answer.name_dropped, 0.5)),
        "labelled": Found(1.0 if labelled(answer) else 0.0),
        "reasons": Found(share(len(answer.chained), 4)),
    }


RULE = PartRule(
    part=Part.CLAIM,
    signs=signs,
    weights={
        "key_points": Weight(0.8, "it makes the points that matter for this question"),
        "commits": Weight(
            0.25, "you commit to something in your opening", "the opening does not commit"
        ),
        "frames": Weight(
            0.63,
            "it says what decides or limits it",
            "it does not say what decides it or when it holds",
        ),
        "preamble": Weight(-0.65, "it opens with background instead of the answer"),
        "late": Weight(-0.2, "the answer comes late"),
        "on_topic": Weight(
            0.59, "it stays on the question", "it takes up little of what was asked"
        ),
        "opening_on_topic": Weight(-0.13),
        "hedged": Weight(-0.14, "it is hedged until it says little"),
        "hedged_opening": Weight(0.13),
        "platitudes": Weight(-0.86, "much of it is commonplaces"),
        "reverses": Weight(-1.21, "the end turns against the beginning"),
        "figures_early": Weight(-0.31),
        "short": Weight(0.38),
        "substance": Weight(0.61),
    },
    base=1.77,
    thresholds=(2.2, 2.9, 3.1),
    needed=("key_points", "commits", "frames", "on_topic"),
    shows=("commits", "frames", "key_points"),
    nothing="No answer to the question was found.",
)
