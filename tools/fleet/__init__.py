"""Calculators of a serving fleet: queues, quotas, capacity, prices, adapters and transfers."""
