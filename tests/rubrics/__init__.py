"""Tests of the rubric sheets and of the overall rule."""
