"""Tests of what rounds say about the person."""
