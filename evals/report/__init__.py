"""A run's findings as one self-contained page, as JSON and as JUnit."""
