"""The bench at tiny sizes: that it runs, not how fast."""
