"""The operator's side of a self-hosted model: size it, start it, find out what it can do, watch it.

Asks no interview question; a round reaches its model through `interviewer.llm` alone.
"""
