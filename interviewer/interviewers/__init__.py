"""Who asks: a model with tools, or the card alone, behind one interface. Knows no socket."""
