"""Cards as notes for Anki: a text file to import, each note with an id of its own, so that
importing again updates it. Pure.
"""

import html
from collections.abc import Iterator, Sequence

from interviewer.grounding.facts import ComputedFact
from interviewer.visible import visible
from questions.model import QuestionCard

HEADER = "#separator:tab\n#html:true\n#columns:Id\tQuestion\tAnswer\tTags\n#tags column:4\n"


def card_notes(card: QuestionCard, facts: Sequence[ComputedFact]) -> Iterator[str]:
    """One note for the question, and one for each number that carries its answer."""
    stated = "".join(f"<li>{_html(line)}</li>" for line in card.scenario)
    inputs = f"<ul>{stated}</ul>" if stated else ""
    tags = " ".join(
        "viva::" + word.replace(" ", "_") for word in (card.theme, card.kind, card.difficulty)
    )
    answer = _html(card.short_answer) + "<ul>" + "".join(_points(card)) + "</ul>"
    yield _note(card.id, f"{_html(card.question)}{inputs}", answer, tags)
    for computed in facts:
        if computed.fact.key and not computed.fact.story:
            yield _number(card, computed, inputs, tags)


def _points(card: QuestionCard) -> Iterator[str]:
    for part in type(card.key_points).model_fields:
        for point in getattr(card.key_points, part):
            yield f"<li>{_html(point.point)}</li>"


def _number(card: QuestionCard, computed: ComputedFact, inputs: str, tags: str) -> str:
    fact, result = computed.fact, computed.result
    how = result.formula if result else computed.source
    slips = "".join(f"<li>×{slip.factor:g}: {_html(slip.reason)}</li>" for slip in fact.slips)
    answer = f"<b>{_html(computed.shown)}</b><br>{_html(how)}"
    answer += f"<ul>{slips}</ul>" if slips else ""
    asked = f"{_html(card.title)}: {_html(fact.label)}?{inputs}"
    return _note(f"{card.id}/{fact.id}", asked, answer, f"{tags} viva::number")


def _note(*fields: str) -> str:
    return "\t".join(fields) + "\n"


def _html(text: str) -> str:
    """Text as HTML on one line without tabs: both would end the field."""
    return " ".join(html.escape(visible(text)).split())
