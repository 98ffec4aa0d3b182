"""The application: runs a round, keeps its log, asks a model, judges. Knows no web framework."""
