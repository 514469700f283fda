"""Environments: JAX tables, Gymnasium faces, and anybody's Gymnasium id."""
