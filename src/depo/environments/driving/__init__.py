"""Driving: one vehicle is ours, the others replay a recording of traffic; JAX, many at once."""
