"""Kills a real server at many moments of a round."""
