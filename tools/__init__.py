"""Calculators and simulators as pure typed functions. A leaf: knows no other package."""
