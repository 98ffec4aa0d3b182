"""The seam to language models: one protocol, three adapters, no provider names above it."""
