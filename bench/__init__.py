"""Measurements beside plain re-implementations, in one run. `make bench` prints them."""
