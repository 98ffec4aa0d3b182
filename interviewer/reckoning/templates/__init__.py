"""The templates by subject: memory, steps, parallel and kernels, fleets, statistics."""
