"""What rounds that are over say about the person: attempts compared, rates, what to do next."""
