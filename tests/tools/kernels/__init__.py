"""Tests of tools.kernels."""
