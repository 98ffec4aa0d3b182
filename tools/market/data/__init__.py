"""Dated facts with their definitions and sources, in our words; checked against their models."""
