"""Tests of the application: round, store, session, models, scoring."""
