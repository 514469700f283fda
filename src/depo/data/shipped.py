"""Demonstrations that ship with the package, found by name."""

from __future__ import annotations

from pathlib import Path

from depo.core.files import named_file
from depo.data.demonstrations import Demonstrations

FOLDER = Path(__file__).parent / "recordings"


def shipped() -> dict[str, Path]:
    """Name and file of every demonstration set in the package.

    >>> "gridworld" in shipped()
    True
    """
    return {path.stem: path for path in sorted(FOLDER.glob("*.npz"))}


def find_demonstrations(name: str | Path) -> Path:
    """The file a ``--demos`` value means: a path, or the name of a shipped set."""
    return named_file(name, shipped(), "demonstrations")


def load_demonstrations(name: str | Path) -> Demonstrations:
    """Load a file, or a shipped set by its name.

    >>> load_demonstrations("gridworld").episodes
    100
    """
    return Demonstrations.load(find_demonstrations(name))
