"""The simulators of a serving engine."""
