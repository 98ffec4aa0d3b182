"""Data of the live figures that no tool computes, each with its source."""
