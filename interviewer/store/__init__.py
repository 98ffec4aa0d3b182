"""The append-only log of events in SQLite or PostgreSQL.

Only here are tables known; no rules of a round.
"""

from interviewer.store.engines import describe
from interviewer.store.event_store import EventReader, EventStore, RoundSummary

__all__ = ["EventReader", "EventStore", "RoundSummary", "describe"]
