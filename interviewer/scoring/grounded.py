"""Keeps a model's numbers out of a scorecard where nothing in the round grounds them."""

from interviewer.grounding.ledger import Ledger
from interviewer.scoring.material import Material
from interviewer.scoring.sentences import sentences


def ledger_of(material: Material) -> Ledger:
    """What a scorecard may state: the card's numbers and the candidate's own."""
    ledger = Ledger.of(material.card, material.facts)
    for turn in material.answers:
        ledger = ledger.with_candidate(turn.number, turn.text)
    return ledger


def grounded(text: str, ledger: Ledger) -> str:
    """The text without the sentences that state a quantity which the ledger does not hold."""
    said = [text[stretch.start : stretch.end] for stretch in sentences(text)]
    return " ".join(sentence for sentence in said if not ledger.ground(sentence).ungrounded)
