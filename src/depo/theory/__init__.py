"""Exact answers on finite and Lipschitz problems: what the paper proves, as numbers."""
