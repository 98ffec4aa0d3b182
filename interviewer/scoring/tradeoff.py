"""The trade-off: what the choice costs, who bears it, and where it flips."""

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer
from interviewer.scoring.learned import key_points_weight, learned, learned_weights
from interviewer.scoring.part_rule import PartRule, Weight
from interviewer.scoring.signs import Found, Signs, share
from rubrics.scorecard import Part

COST = cues(
    r"""
    (?:it|that|this|what it|what that|which|the (?:cost|price)|of course|does) costs?|costs? me
    costs? us|costs? them|costs? you|costs? it|costs? is|costs? are|costs? of|costs? about
    costs? an?|costs? the|costs? operational|costs? real|costs? more|costs? that|costs? her
    costs? him|costs? gpu|costs? some\w*
    the (?:cost|price|downside|catch|risk|penalty|drawback|flip side)
    at the (?:price|cost|expense) of|price of (?:it|that|this)|has a price|g(?:i|a)ves? up
    giving up|given up|trad(?:e|ing) (?:away|off)|trade off|trade offs|sacrific\w+|you lose
    i lose|we lost|we lose|loses?|lost|pays?|what we paid
    in exchange|slower|worse|longer|less accurate|extra|is paid by|carr(?:y|ies|ied)
    at the expense|unhappy|angry|waits?|waited|wait longer|stayed manual|without|miss(?:es|ed)?
    gets? (?:those|the|more) (?:calls|tickets)|gets tickets|interrupts?|wastes?|idles?|less even
    adds|can't|has to (?:buy|rent|hire)|saves? only|buys (?:the|a) second|hired|paying|charged
    blocks good|harder|more complicated|complexity|maintain|burns?|gone|hates?|complain\w*
    """
)
STRONG_COST = cues(
    r"""
    (?:the|a|what it|it|that|this|which|does|of course) (?:price|costs?|downside|catch|drawback)
    gives? up|gave up|at the (?:price|cost|expense) of
    what (?:we|i|you|it|that|the \w+) (?:paid|pay|costs?|lose|gave up|give up|gives up|loses)
    is paid by|cost (?:them|us|me|is|was)
    costs (?:is|a|an|the|one|us|you|me|them|about|real|operational|her|him)|trade off so
    has a price|price (?:is|of|for)|you (?:lose|pay)
    """
)
_WILL = r"(?:i'd|i would|i'll|we'd|you|you'd|one would)"
FLIP = cues(
    rf"""
    {_WILL} (?:rather|flip|switch|still|only|not|never|keep|stay|choose|chosen|have|stop|take)
    {_WILL} (?:go|let|accept|drop|move|skip|use|fill|turn|make|run|hold|decide|fix|pick)
    i (?:stop|stay|keep|switch|go|raise|turn|fill|move|drop|only|don't care|wouldn't|take)
    (?:would|wouldn't|would not|should) (?:have )?(?:said|chosen|choose|bother|accept|decide\w*)
    (?:would|wouldn't|would not|should) (?:have )?(?:switch|begun|not exist|stop|keep)
    flips?|the other way|break even|threshold|tipping point|otherwise|instead|rather than
    only (?:if|when|where)|until|differently|the wrong thing|nearly as good
    """
)
CONDITION = cues(
    r"""
    if|unless|when|once|as soon as|below|above|under|over|more than|less than
    at (?:over|above|least|most)|fewer than|as long as|where|until
    for (?:a|an|the|anything|people|small|large|offline|long|short|internal|regulated)
    """
)
BEARER = cues(
    r"""
    users?|customers?|clients?|team|on call|engineers?|clerks?|agents?|adjusters?|budget
    tenants?|operators?|finance|people|somebody|someone|patients?|owner|sponsor|ops|support
    callers?|newcomers?|analysts?|everyone|everybody|manager|board|he|she|they|them|her|him|me
    us|department|office|authors?|legal|marketing|staff|workers?
    """
)
GENERIC = cues(
    r"""
    trade offs?(?: of course)? (?:between|of|here|there)
    there (?:are|is) (?:always )?(?:a |some )?trade offs?|always (?:a |some )?trade offs?
    of course (?:there|all|one)|pros and cons|(?:the )?right balance|balance between
    depends on the (?:use case|workload|customer|situation|budget|context|documents|model)
    more (?:latency|expensive|cost|accuracy)|latency throughput|no free lunch|between cost
    might be trade offs|one must find|one has to balance|use case
    """
)


def signs(answer: Answer) -> Signs:
    """The strength from 0 to 1 of everything that counts for or against the trade-off."""
    words = answer.words
    costs, strong, flips = words.find(COST), words.find(STRONG_COST), words.find(FLIP)
    generic = words.find(GENERIC)
    flips_if = [hit for hit in flips if answer.near([hit], CONDITION, 14, 14)]
    borne = [hit for hit in costs if answer.near([hit], BEARER, 10, 12)]
    return {
        **learned(answer, Part.TRADEOFF),
        "key_points": answer.points_made(answer.card.key_points.tradeoff, len(words), unknown=0.3),
        "strong_cost": Found(share(len(strong), 1), strong),
        "flip": Found(share(len(flips_if), 2), flips_if),
        "borne": Found(share(len(borne), 2), borne),
        "generic": Found(share(len(generic), 1), generic),
    }


RULE = PartRule(
    part=Part.TRADEOFF,
    signs=signs,
    weights={
        **learned_weights(
            Part.TRADEOFF,
            "the trade-off is said plainly",
            "the trade-off is not said plainly",
            "cost",
        ),
        "key_points": key_points_weight("costs"),
        "strong_cost": Weight(True, "it says plainly what the choice costs", about="cost"),
        "flip": Weight(
            True,
            "it says when you would choose differently",
            "it does not say when you would choose differently",
        ),
        "borne": Weight(True, "it says who bears it", "it does not say who bears it"),
    },
    shows=("said", "strong_cost", "flip"),
    borderline="generic",
    nothing="No cost of the choice was recognised in what you said.",
)
