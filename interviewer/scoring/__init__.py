"""Judging of a round:
what is judged, the rule-based scorer, the model as judge, and the number check."""
