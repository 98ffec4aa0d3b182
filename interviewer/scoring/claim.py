"""The claim:
is there an answer to the question, how early, how committed, and does it frame the rest."""

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer
from interviewer.scoring.learned import key_points_weight, learned, learned_weights
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from interviewer.scoring.words import Hit, Words
from rubrics.scorecard import Part

OPENING = 45
"""Words that make 'the first sentence or two'."""
CLAIMED = OPENING + 25
"""Words within which the points of a claim are to be made."""

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
_REVERSAL = cues(
    r"""
    that said|so overall|so to summari[sz]e|how we made it in the end|on second thought
    so yeah basically|having said that|so in the end i would|actually no
    """
)


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against a claim."""
    words = answer.words
    frame = words.find(_FRAME, 0, OPENING + 15)
    preamble = words.find(_PREAMBLE, 0, OPENING)
    return {
        **learned(answer, Part.CLAIM),
        "key_points": answer.points_made(answer.card.key_points.claim, CLAIMED, unknown=0.3),
        "frames": Found(share(len(frame), 2), frame),
        "preamble": Found(share(len(preamble), 1), preamble),
        "reverses": Found(share(len(words.find(_REVERSAL, len(words) // 2)), 1)),
        "flagged": Found(1.0 if answer.card_flags else 0.0),
        "commits": Found(0.0, words.find(_COMMIT, 0, OPENING)),
        "opening": Found(0.0, words.opening),
    }


def first_commitment(words: Words) -> Hit | None:
    """The first phrase that commits to something, wherever it stands; None if there is none."""
    return min(words.find(_COMMIT), key=lambda hit: hit.first, default=None)


RULE = PartRule(
    part=Part.CLAIM,
    signs=signs,
    weights={
        **learned_weights(Part.CLAIM),
        "key_points": key_points_weight("points", "makes"),
        "frames": Weight(
            True,
            "it says what decides or limits it",
            "it does not say what decides it or when it holds",
        ),
        "preamble": Weight(
            False, "it opens with background instead of the answer", about="commitment"
        ),
        "reverses": Weight(False, "the end turns against the beginning", about="commitment"),
        "flagged": Weight(False, "it says what this question's red flags name"),
    },
    shows=("commits", "key_points", "frames", "opening"),
    nothing="No answer to the question was recognised in what you said.",
)
