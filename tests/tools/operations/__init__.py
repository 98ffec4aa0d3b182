"""Tests of the operations calculators."""
