"""The title rules behind chapter 1's counts: what is FDE-titled, what is of the wider family."""

import re
from typing import Literal

Kind = Literal["titled", "family", "other"]

TITLED = re.compile(r"forward[- ]deployed|deployed engineer", re.IGNORECASE)
FAMILY = re.compile(
    r"deployment (lead|strategist|engineer|specialist)"
    r"|agent (deployment|product manager|pm|development)"
    r"|software engineer, agent"
    r"|applied ai (engineer|architect|strategist)"
    r"|technical deployment",
    re.IGNORECASE,
)
RULES = (
    "titled: 'forward deployed', 'forward-deployed' or 'deployed engineer' in the title; "
    "family: those, and deployment lead/strategist/engineer/specialist, agent deployment/product "
    "manager/PM/development, 'software engineer, agent', applied AI engineer/architect/strategist, "
    "technical deployment"
)


def kind(title: str) -> Kind:
    """The narrowest rule that the title meets; 'family' leaves the titled ones out."""
    if TITLED.search(title):
        return "titled"
    return "family" if FAMILY.search(title) else "other"
