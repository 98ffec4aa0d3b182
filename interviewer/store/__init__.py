"""The append-only log of events in SQLite or PostgreSQL, and the read models that follow from it.

Only here are tables known; no rules of a round.
"""

from interviewer.store.engines import describe
from interviewer.store.event_store import EventReader, EventStore
from interviewer.store.history import Found, Match, RoundSummary, Wanted
from interviewer.store.levels import Graded, Identity, LastLevel, Tally
from interviewer.store.search import Hit

__all__ = [
    "EventReader",
    "EventStore",
    "Found",
    "Graded",
    "Hit",
    "Identity",
    "LastLevel",
    "Match",
    "RoundSummary",
    "Tally",
    "Wanted",
    "describe",
]
