"""Tests of the question cards, their library and their commands."""
