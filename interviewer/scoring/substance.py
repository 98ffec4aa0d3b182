"""What takes a claim's substance away, whatever its words are:
a restated question, a list of names, another topic, a claim that is taken back."""

from interviewer.scoring.check import Cap
from interviewer.scoring.claim import OPENING
from interviewer.scoring.features import Answer
from rubrics.scorecard import Part

LONG = 60
"""Words from which an answer has room for what the question asks for."""
_LIST = 0.10
"""English has a third of function words and more; names in a row have hardly any."""
_NEW = 0.35
"""The least share of content words that the question does not have."""


def substance_cap(part: Part, answer: Answer) -> Cap | None:
    """The highest level of a part in an answer without the substance for more."""
    if is_list(answer):
        return Cap(1, "Names are listed, and no sentence says anything about them.")
    if part is not Part.CLAIM or len(answer.words) < 8:
        return None
    if answer.topic and not states_figure(answer) and new_share(answer) < _NEW:
        return Cap(1, "The question is said again, not answered.")
    if answer.retracted:
        return Cap(1, "It takes back what it said before.")
    return _topic_cap(answer) or _opening_cap(answer)


def is_list(answer: Answer) -> bool:
    """Whether it is names in a row, without the words that make sentences."""
    words = len(answer.words)
    return words >= 12 and answer.function_words <= _LIST * words


def states_figure(answer: Answer) -> bool:
    """Whether a figure is stated that the question does not hold."""
    return any(hit.text not in answer.question.lower() for hit in answer.figures)


def new_share(answer: Answer) -> float:
    """The share of the content words that are not the question's own."""
    content = answer.content
    return sum(word not in answer.topic for word in content) / len(content) if content else 0.0


def _topic_cap(answer: Answer) -> Cap | None:
    """A long answer that makes hardly any point of the card is about something else, or says little
    of what matters.
    """
    points = answer.card.key_points
    if len(answer.words) < LONG or len(points.claim) < 2:
        return None
    parts = (points.claim, points.number, points.tradeoff, points.nextstep)
    made = [answer.points_made(part, len(answer.words)).strength for part in parts]
    if sum(made) / len(made) <= 0.15:
        return Cap(2, "It makes none of the points that this question asks for.")
    return None


def _opening_cap(answer: Answer) -> Cap | None:
    """What is argued well later on is still no outstanding claim where the opening lacks it."""
    points = answer.card.key_points.claim
    if points and not answer.points_made(points, OPENING + 25).strength:
        return Cap(3, "The opening makes none of the points that this question asks for.")
    return None
