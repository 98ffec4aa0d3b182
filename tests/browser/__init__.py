"""Drives real Chromium against a real server."""
