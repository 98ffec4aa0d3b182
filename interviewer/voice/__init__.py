"""Spoken answers without a browser: recognisers behind one seam, what is doubtful, delivery."""
