"""Runs: folders that can always be resumed, evaluated and reported."""
