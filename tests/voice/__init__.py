"""Tests of spoken answers."""
