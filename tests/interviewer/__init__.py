"""Tests of the interviewer package."""
