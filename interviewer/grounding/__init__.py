"""What a round may state: facts recomputed by tools, and the check of every sentence against them."""
