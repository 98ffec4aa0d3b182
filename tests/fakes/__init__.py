"""Real servers that stand in for what a test cannot have: a model behind an OpenAI-compatible API."""
