"""Spoken answers on disk until they are sent, and the sound of those that are kept."""
