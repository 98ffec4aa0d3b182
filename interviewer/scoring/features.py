"""What all parts look at:
the cleaned words, the figures among them, and the cues that they share."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from interviewer.scoring.contradiction import contradiction, is_denied, retraction
from interviewer.scoring.cues import cues
from interviewer.scoring.labels import announces_parts
from interviewer.scoring.signs import Found
from interviewer.scoring.wording import Table, Wording, read_wording, shipped
from interviewer.scoring.words import SMALL_NUMBERS, Hit, Words, tokens
from questions.model import KeyPoint, QuestionCard, RedFlagRule
from rubrics.scorecard import WRONG, NumberFinding

_SAID = "|".join([*SMALL_NUMBERS, "hundred", "thousand", "million", "billion", "zero"])
FIGURE = re.compile(
    # From the space before it: a third of the cost of looking at every letter.
    rf" (?:[$€£]?\d[\d,.]*%?[a-z]{{0,3}}\b"
    rf"|(?:an? (?=hundred|thousand|million|dozen))?"
    rf"(?:{_SAID})(?: (?:{_SAID}|point|and(?= (?:{_SAID}))|oh(?= (?:{_SAID}))))*\b"
    r"|(?:half|a third|a quarter|a fifth|twice|double)\b)"
)
_UNIT = re.compile(
    r"%|percent|(?:milli|micro|nano)?seconds?|ms|minutes?|hours?|days?|weeks?|months?|years?"
    r"|(?:kilo|mega|giga|tera|kibi|mebi|gibi|peta)(?:bytes?|bits?|flops?)|[kmgt]i?b|gigs?|megs?"
    r"|bytes?|bits?|[tgp]?flops?|tokens?|users?|requests?|calls?|euros?|dollars?|cents|points?"
    r"|times|x|fold|cases?|people|documents?|invoices?|tickets?|questions?|chunks?|pages?|layers"
    r"|heads|blocks?|gpus?|cards?|replicas?|events?|records?|customers?|claims?|answers?|agents?"
    r"|steps?|sessions?|alerts?|quarters?|hz|b|k|million"
)
FUNCTION_WORDS = frozenset(
    tokens(
        """
    a an the and or but of in on at to for with from by is are was were be been do does did
    you your i me my we our it its this that these those what when where which who how why
    would should could can will tell about time something not no many much one two as if
    than then there here has have had so into them they their walk through give us get use
    make want need say me's it's
    """
    )
)
_LIST = 0.10
"""English has a third of function words and more; names in a row have hardly any."""
HEDGE = cues(
    r"""
    maybe|perhaps|possibly|potentially|might|could be|i guess|sort of|kind of|hard to say
    not sure|difficult to say|(?:it|that) (?:really )?depends|somehow|arguably|probably
    i suppose|either way|or something|something like that|could also|i wouldn't want to say
    there's arguments|in some situations
    """
)
PLATITUDE = cues(
    r"""
    best practices?|stakeholders?|seamless(?:ly)?|holistic(?:ally)?|robust|transparency
    trusted advis[eo]r|win win|at the end of the day|(?:is|are) key|is everything
    continuous(?:ly)? (?:improv\w+|monitor\w*)|mindset|culture of|right balance|no silver bullet
    one size fits|garbage in garbage out|state of the art|strong believer|passionate
    cutting edge|best in class|world class|synerg\w+|leverag\w+|journey|good data governance
    very important|really important|most important topics?|is an art|ecosystem|common ground
    building trust|empower\w*|virtuous cycle|value add|right (?:tools|people|time)|iterate
    deep dive|alignment|foundation of|moving (?:so )?quickly|end to end visibility
    business value
    """
)


CITED = cues(
    r"""
    paper|orca|anyscale|mlperf|hbr|reported|industry|worldwide|globally|studies|study
    research|often quoted|linkedin|forrester|gartner|mckinsey|visa|nvidia|openai
    cncf|whitepaper|according to|collections|well known|known as
    """
)


@dataclass(frozen=True)
class Answer:
    """One candidate's answers, read once, with the card that they answer."""

    words: Words
    card: QuestionCard
    question: str
    findings: tuple[NumberFinding, ...] = ()
    table: Table | None = None
    """Another table of phrases than the shipped one."""
    covered: dict[str, float | None] = field(default_factory=dict)
    """By text of the card how much of it is taken up, once it was asked for: see `coverage`."""
    _made: dict[int, list[tuple[KeyPoint, Hit]]] = field(default_factory=dict)

    @cached_property
    def wording(self) -> Wording:
        """What its phrases say, by the table."""
        return read_wording(self.words, self.table or shipped())

    @cached_property
    def content(self) -> list[str]:
        """Stems of its content words, in order."""
        return [
            stem(word) for word in self.words.texts if word not in FUNCTION_WORDS and len(word) > 2
        ]

    @cached_property
    def figures(self) -> list[Hit]:
        """Figures in order; a lone small number word ('one', 'two systems') is none."""
        return [hit for hit in self.words.find(FIGURE) if not self._is_small_talk(hit)]

    def _is_small_talk(self, hit: Hit) -> bool:
        if hit.text in ("a third", "a quarter", "a fifth", "half", "twice", "double"):
            return False
        if hit.text not in SMALL_NUMBERS[:10]:
            return False
        return not is_unit(self.words.between(hit.last, hit.last + 1)) or hit.text == "one"

    def near(
        self, hits: Iterable[Hit], pattern: re.Pattern[str], before: int, after: int
    ) -> Hit | None:
        """The first occurrence of a pattern within some words of any of the hits."""
        found = self.words.find(pattern)
        for hit in hits:
            at = bisect_left(found, hit.first - before, key=lambda cue: cue.first)
            if at < len(found) and found[at].last <= hit.last + after:
                return found[at]
        return None

    @cached_property
    def topic(self) -> frozenset[str]:
        """Stems of the content words of the question."""
        return _topic(self.question)

    @cached_property
    def labelled(self) -> bool:
        """Whether it announces the rubric's parts by name."""
        return announces_parts((turn.text for turn in self.words.answers), self.words.text)

    @cached_property
    def taken_back(self) -> Hit | None:
        """Late words that take back what was said early."""
        return contradiction(self.words)

    @cached_property
    def wrong(self) -> tuple[NumberFinding, ...]:
        """The figures that were found wrong."""
        return tuple(found for found in self.findings if found.verdict in WRONG)

    @cached_property
    def card_flags(self) -> list[tuple[RedFlagRule, Hit]]:
        """The card's red flags whose phrases are said, and not denied, each with where."""
        found: list[tuple[RedFlagRule, Hit]] = []
        for rule in self.card.red_flags:
            hits = (hit for made in rule.phrases for hit in self.words.phrase(plain(made)))
            said = next((hit for hit in hits if not is_denied(self.words, hit.first)), None)
            if said is not None:
                found.append((rule, said))
        return found

    @cached_property
    def retracted(self) -> Hit | None:
        """Late words that take the claim back as such."""
        return retraction(self.words)

    @property
    def is_list(self) -> bool:
        """Whether it is names in a row, without the words that make sentences."""
        count = len(self.words)
        holding = sum(map(FUNCTION_WORDS.__contains__, self.words.texts))
        return count >= 12 and holding <= _LIST * count

    @cached_property
    def hedges(self) -> float:
        """Hedging phrases per hundred words."""
        return 100 * len(self.words.find(HEDGE)) / max(40, len(self.words))

    @cached_property
    def platitudes(self) -> float:
        """Commonplaces per hundred words."""
        return 100 * len(self.words.find(PLATITUDE)) / max(40, len(self.words))

    @cached_property
    def chained(self) -> list[Hit]:
        """Figures that arithmetic joins to the figure before them: 'times', 'over', 'that's'."""
        joined: list[Hit] = []
        for before, figure in zip(self.figures, self.figures[1:], strict=False):
            gap = self.words.texts[before.last : figure.first]
            if len(gap) <= 7 and not _OPERATION.isdisjoint(gap):
                joined.append(figure)
        return joined

    @cached_property
    def name_dropped(self) -> float:
        """The share of the figures that stand beside a cited name and in no arithmetic."""
        joined = set(self.chained)
        loose = [f for f in self.figures if f not in joined and self.near([f], CITED, 9, 9)]
        return len(loose) / len(self.figures) if self.figures else 0.0

    def made(self, points: Sequence[KeyPoint]) -> list[tuple[KeyPoint, Hit]]:
        """The key points that the answer makes, each with where."""
        # By identity: every part is looked at three times, and to hash it is to read the card.
        if id(points) not in self._made:
            hits = ((point, self.words.earliest(_beginnings(point.cues))) for point in points)
            self._made[id(points)] = [(point, hit) for point, hit in hits if hit is not None]
        return self._made[id(points)]

    def points_made(self, points: Sequence[KeyPoint], last: int, unknown: float = 0.0) -> Found:
        """The share of a part's key points that the first `last` words make, with where.

        `unknown` stands in where the card names none.
        """
        if not points:
            return Found(unknown, known=False)
        hits = [hit for _, hit in self.made(points) if hit.first < last]
        return Found(len(hits) / len(points), hits)


_OPERATION = frozenset(["x", "×", "*", "/", "=", "÷", "+"]) | frozenset(
    tokens("times divided by minus plus over of is that's gives leaves are at makes so")
)


@lru_cache(maxsize=4096)
def is_unit(word: str) -> bool:
    """Whether a word after a figure says what was counted or measured."""
    return bool(_UNIT.fullmatch(word))


@lru_cache(maxsize=4096)
def plain(phrase: str) -> str:
    """A phrase of a card as it would stand in the cleaned words."""
    return " ".join(tokens(phrase))


@lru_cache(maxsize=1024)
def _topic(question: str) -> frozenset[str]:
    words = (word for word in tokens(question) if word not in FUNCTION_WORDS and len(word) > 2)
    return frozenset(map(stem, words))


@lru_cache(maxsize=4096)
def _beginnings(cues: tuple[str, ...]) -> tuple[str, ...]:
    """The cues of a key point as `Words.earliest` wants them."""
    return tuple(f" {words}" for cue in cues if (words := plain(cue)))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its commonest English endings."""
    for ending in (
        "isation",
        "ization",
        "ingly",
        "ation",
        "ing",
        "ies",
        "ed",
        "es",
        "ly",
        "s",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
