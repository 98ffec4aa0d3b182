"""The append-only log of events in SQLite or PostgreSQL.

Only here are tables known; no rules of a round.
"""

from interviewer.store.event_store import EventStore, RoundSummary

__all__ = ["EventStore", "RoundSummary"]
