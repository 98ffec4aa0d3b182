"""The title rules behind chapter 1's counts: what is FDE-titled, what is of the wider family."""

from typing import Literal

Kind = Literal["titled", "family", "other"]

TITLED = ("forward deployed", "forward-deployed", "deployed engineer")
FAMILY = (
    *(f"deployment {role}" for role in ("engineer", "lead", "specialist", "strategist")),
    *(f"agent {role}" for role in ("deployment", "development", "pm", "product manager")),
    *(f"applied ai {role}" for role in ("architect", "engineer", "strategist")),
    "software engineer, agent",
    "technical deployment",
)
"""Phrases of a title in lower case, anywhere in it, also within a word."""

RULES = f"FDE-titled: {', '.join(TITLED)} in the title; family: those, and {', '.join(FAMILY)}"


def kind(title: str) -> Kind:
    """The narrowest rule that the title meets; 'family' leaves the titled ones out."""
    low = title.lower()
    if any(phrase in low for phrase in TITLED):
        return "titled"
    return "family" if any(phrase in low for phrase in FAMILY) else "other"
