"""Tests of the numbers that are to be worked out."""
