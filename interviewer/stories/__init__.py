"""A person's own stories: kept, matched to questions, and held against what was told."""
