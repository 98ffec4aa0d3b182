"""Real servers that stand in for what a test cannot have, such as a model."""
