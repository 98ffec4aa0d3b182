"""Synthetic spoken answers, and what a recogniser makes of them."""
