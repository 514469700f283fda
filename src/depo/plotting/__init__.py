"""Figures and films."""
