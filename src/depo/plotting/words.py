"""Words from files in figures: shown as they are, never as formulas."""

from __future__ import annotations

from depo.core.errors import readable


def literal(text: str) -> str:
    r"""A text from outside for Matplotlib, which takes what is between two $ for a formula.

    >>> literal("$\\frac$")
    '\\$\\frac\\$'
    """
    return readable(text).replace("$", r"\$")
