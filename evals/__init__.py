"""Evaluation of scorers, judges and interviewers, in batches and with intervals."""
