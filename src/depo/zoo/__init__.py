"""Planners and policies that ship with the package, by name."""
