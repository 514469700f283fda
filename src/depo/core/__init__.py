"""Errors, files and their formats, weights, seeds, the metric catalogue."""
