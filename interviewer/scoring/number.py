"""The number:
is there a relevant figure, with its unit, its source or arithmetic, and does it carry the claim."""

import re

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer, is_unit
from interviewer.scoring.learned import learned, learned_weights
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from rubrics.scorecard import Part

_ARITHMETIC = re.compile(
    r"[×x*/=+] ?(?=\d)|=|\b(?:times|divided by|multiplied|minus|plus|over (?=\d)|that's|that is|"
    r"so about|gives?|leaves?|makes|which is|adds up|comes to|works out|a factor of|half of)\b"
)
_SOURCE = cues(
    r"""
    measured|counted|we (?:saw|had|measured|got|counted)|out of|interval|wilson|sample\w*
    p(?:ninety|9\d| ninety)|p9[059]|load test|benchmark(?:ed)?|logs?|from the|according to
    by their own|data ?sheet|random|definition|defined|in the last|last (?:month|week|year)
    survey|report|audit|before|after|archive|baseline|against|my (?:own )?(?:estimate|guess)|say
    assume|assuming|took|went from
    """
)
_CARRIES = cues(
    r"""
    so (?:i|we|the|that|it|you|about|a|one|two)|which means|that means|means|therefore|decides?
    because|enough|fits?|not enough|below|above|under|at most|at least|more than|less than
    instead of|against|that's why|the reason|target|budget|limit
    """
)


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against the number."""
    words, figures = answer.words, answer.figures
    with_unit = [f for f in figures if "%" in f.text or _unit_after(answer, f.last)]
    chained = answer.chained
    sourced = [f for f in figures if answer.near([f], _SOURCE, 12, 12)]
    carries = [f for f in figures if answer.near([f], _CARRIES, 8, 8)]
    count = len(figures)
    return {
        **learned(answer, Part.NUMBER),
        "key_points": answer.points_made(answer.card.key_points.number, len(words), unknown=0.3),
        "figures": Found(share(count, 6), figures),
        "any": Found(1.0 if count else 0.0, figures),
        "units": Found(share(len(with_unit), 5), with_unit),
        "arithmetic": Found(share(len(chained), 5), chained),
        "arithmetic_words": Found(share(len(words.find(_ARITHMETIC)), 6)),
        "sourced": Found(share(len(sourced), 4), sourced),
        "carries": Found(share(len(carries), 5), carries),
        "name_dropped": Found(share(answer.name_dropped, 0.5), figures),
        "density": Found(share(100 * count / max(40, len(words)), 15)),
        "unchained_list": Found(1.0 if count >= 5 and len(chained) <= 1 else 0.0),
        "labelled": Found(1.0 if answer.labelled else 0.0),
    }


def _unit_after(answer: Answer, last: int) -> bool:
    return any(is_unit(word.text) for word in answer.words.words[last : last + 2])


RULE = PartRule(
    part=Part.NUMBER,
    signs=signs,
    weights={
        **learned_weights(Part.NUMBER,
            "a figure is worked out or has its source",
            "no figure is worked out",
        ),
        "key_points": Weight(
            True,
            "it makes the points that matter for this question",
            "the figures that matter for this question are missing",
        ),
        "figures": Weight(True, "there are figures enough to check", "there are few figures"),
        "any": Weight(True),
        "units": Weight(True, "the figures have units", "figures stand without a unit"),
        "arithmetic": Weight(
            True, "the arithmetic is said aloud", "nobody can follow the arithmetic"
        ),
        "arithmetic_words": Weight(True),
        "sourced": Weight(
            True, "it says where figures come from", "no source or measurement is named"
        ),
        "carries": Weight(
            True, "the figures carry the argument", "the figures are not used for the argument"
        ),
        "name_dropped": Weight(False, "figures are name-dropped"),
        "density": Weight(False),
        "unchained_list": Weight(False, "the figures are a list without arithmetic"),
        "labelled": Weight(False, "the parts are announced instead of said"),
    },
    needed=("any",),
    shows=("said", "arithmetic", "sourced", "units"),
    else_shows=("any",),
    nothing="No figure that bears on the claim was found.",
)
