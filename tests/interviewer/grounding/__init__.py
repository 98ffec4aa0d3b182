"""Tests of grounding: facts, ledger, gate."""
