"""The number:
is there a relevant figure, with its unit, its source or arithmetic, and does it carry the claim."""

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer, is_unit
from interviewer.scoring.learned import key_points_weight, learned, learned_weights
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from rubrics.scorecard import Part

_SOURCE = cues(
    r"""
    measured|counted|we (?:saw|had|measured|got|counted)|out of|interval|wilson|sample\w*
    p(?:ninety|9\d| ninety)|p9[059]|load test|benchmark(?:ed)?|logs?|from the|according to
    by their own|data ?sheet|random|definition|defined|in the last|last (?:month|week|year)
    survey|report|audit|before|after|archive|baseline|against|my (?:own )?(?:estimate|guess)|say
    assume|assuming|took|went from
    """
)


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against the number."""
    words, figures = answer.words, answer.figures
    with_unit = [f for f in figures if "%" in f.text or _unit_after(answer, f.last)]
    sourced = [f for f in figures if answer.near([f], _SOURCE, 12, 12)]
    return {
        **learned(answer, Part.NUMBER),
        "key_points": answer.points_made(answer.card.key_points.number, len(words), unknown=0.3),
        "figures": Found(share(len(figures), 6), figures),
        "units": Found(share(len(with_unit), 5), with_unit),
        "sourced": Found(share(len(sourced), 4), sourced),
        "arithmetic": Found(0.0, answer.chained),
    }


def _unit_after(answer: Answer, last: int) -> bool:
    return any(map(is_unit, answer.words.texts[last : last + 2]))


RULE = PartRule(
    part=Part.NUMBER,
    signs=signs,
    weights={
        **learned_weights(Part.NUMBER),
        "key_points": key_points_weight("points", "makes"),
        "figures": Weight(True, "there are figures enough to check", "there are few figures"),
        "units": Weight(
            True,
            "the figures have units",
            "figures stand without a unit",
            little="few figures with a unit are given",
        ),
        "sourced": Weight(
            True,
            "it says where figures come from",
            "no source or measurement is named",
            little="for few figures a source is named",
        ),
    },
    shows=("arithmetic", "sourced", "figures"),
    nothing="No figure that bears on the claim was found.",
)
