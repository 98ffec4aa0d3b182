"""Tests of the fleet calculators."""
