"""What can be recomputed of a candidate's figures: the card's facts, and their own arithmetic."""
