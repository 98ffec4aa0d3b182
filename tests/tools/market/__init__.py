"""The market tools."""
