"""Tests of the tools against independent values, the known bug classes and general properties."""
