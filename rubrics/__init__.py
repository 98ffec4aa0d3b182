"""Rubrics with anchored levels, and the scorecard that they produce. A leaf:
knows no other package."""
