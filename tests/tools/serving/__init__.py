"""Tests of tools.serving."""
