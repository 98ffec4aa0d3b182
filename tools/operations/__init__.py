"""Calculators of daily operation: grammars, streams, counters, voice and images."""
