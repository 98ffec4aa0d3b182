"""What kernels and number formats do: occupancy, tiles, attention, rounding, quantisation."""
