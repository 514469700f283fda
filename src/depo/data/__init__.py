"""Demonstrations (states only, one plain file), replay, other formats."""

from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations, shipped

__all__ = ["Demonstrations", "load_demonstrations", "shipped"]
