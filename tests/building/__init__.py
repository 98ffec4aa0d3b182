"""Checks of the building itself: budgets, packaging, fresh schemas. Run by `make check` too."""
