"""Recordings of where an expert went."""

from depo.demos.demonstrations import Demonstrations
from depo.demos.shipped import load_demonstrations, shipped

__all__ = ["Demonstrations", "load_demonstrations", "shipped"]
