"""Whole rounds over the real socket against a real server."""
