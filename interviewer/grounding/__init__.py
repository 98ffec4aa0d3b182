"""What a round may state: recomputed facts, and the check of every sentence against them."""
