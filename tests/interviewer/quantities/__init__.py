"""Tests of the quantity finder."""
