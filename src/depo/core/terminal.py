"""What is printed: texts as they are, for names of files and what files say may hold anything."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from depo.core.errors import printable


class PlainConsole(Console):
    """A console for texts from outside: brackets are no markup, control characters are shown as
    codes, and a text is one line."""

    def __init__(self, *, stderr: bool = False, **options: Any):
        super().__init__(stderr=stderr, markup=False, highlight=False, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts, cleaned, or tables."""
        super().print(*(printable(x) if isinstance(x, str) else x for x in objects), **options)


stdout, stderr = PlainConsole(), PlainConsole(stderr=True)
