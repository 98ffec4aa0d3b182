"""Simulators of a serving engine: blocks, scheduler, prefix trees, routing, overlap, batching."""
