"""Tests of the person's own stories."""
