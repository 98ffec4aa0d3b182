"""Which templates fit a card, a fresh number from them, and the same number again from its log."""

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from interviewer.reckoning.model import Reckoning, Template
from questions.model import QuestionCard

TRIES = 40
"""Draws until one has a slip that can be told from the truth and was not asked before."""


@cache
def templates() -> Mapping[str, Template]:
    """All templates by name."""
    from interviewer.reckoning.templates import (
        economy,
        fleets,
        kernels,
        machines,
        measuring,
        memory,
        sampling,
        scheduling,
        statistics,
        steps,
    )

    modules = (
        memory,
        steps,
        machines,
        measuring,
        kernels,
        sampling,
        scheduling,
        fleets,
        economy,
        statistics,
    )
    return {template.name: template for module in modules for template in module.TEMPLATES}


def pool_of(card: QuestionCard) -> tuple[str, ...]:
    """The names of the templates about the tools that a card's facts rest on."""
    tools = {fact.tool for fact in card.facts}
    return tuple(name for name, template in templates().items() if template.tool in tools)


def draw(pool: Sequence[str], rng: Random, before: Sequence[Reckoning] = ()) -> Reckoning:
    """A fresh number; the template that came least so far, with parameters that did not.

    Raises KeyError for an unknown name and IndexError for an empty pool.
    """
    came = [reckoning.template for reckoning in before]
    fewest = min(came.count(name) for name in pool) if pool else 0
    template = templates()[rng.choice([name for name in pool if came.count(name) == fewest])]
    for _ in range(TRIES):
        drawn = Reckoning.of(template.case(template.draw(rng)))
        if drawn.slips and all(drawn.text != asked.text for asked in before):
            break
    return drawn


def again(name: str, arguments: Mapping[str, Any]) -> Reckoning | None:
    """The number that was asked for; None where this Viva does not know it any more."""
    template = templates().get(name)
    return Reckoning.of(template.case(arguments)) if template else None
