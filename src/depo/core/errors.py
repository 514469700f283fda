"""The one exception users see: a sentence that names the thing, the value and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 80
"""Characters of a text from outside that are shown."""
LONGEST_SENTENCE = 1_000


class DepoError(Exception):
    """Something the user can mend; the command line prints the sentence and exits with 2.

    >>> len(str(DepoError("seeds " + "1, " * 10_000 + "are too many")))
    1000
    """

    def __init__(self, sentence: str):
        super().__init__(shortened(sentence))


def shortened(text: str) -> str:
    """The same as ``printable``, with its middle left out where it is long: lists, numbers and
    names of a file can be of any length.

    >>> len(shortened("x" * 1_000_000))
    1000
    """
    said = printable(text)
    if len(said) <= LONGEST_SENTENCE:
        return said
    end = LONGEST_SENTENCE // 3
    return f"{said[: LONGEST_SENTENCE - end - 3]} … {said[-end:]}"


def printable(text: str) -> str:
    """A text from outside on one line: what would move a terminal's cursor, colour it, or turn the
    direction of writing is shown as the code it is.

    >>> print(printable("a\\nb \\x1b[31mred ü"))
    a\\nb \\x1b[31mred ü
    """
    if text.isprintable():
        return text
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)


def readable(text: str) -> str:
    """The same as part of a sentence: not too long."""
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def unknown(kind: str, name: str, known: Iterable[str]) -> DepoError:
    """The error for a name nobody knows, with the nearest known one.

    >>> str(unknown("method", "dep0", ["depo", "bco"]))
    "unknown method 'dep0': did you mean 'depo'? (known: bco, depo)"
    """
    known = sorted(known)
    near = _near(name, known)
    listed = known if len(known) <= 24 else [*near, f"… {len(known)} in all"]
    hint = suggestion(name, known)
    return DepoError(f"unknown {kind} '{readable(name)}': {hint}(known: {', '.join(listed)})")


def suggestion(name: str, known: Iterable[str]) -> str:
    """What was perhaps meant, as a question; empty if nothing is near.

    >>> suggestion("hoper", ["hopper", "ant"])
    "did you mean 'hopper'? "
    """
    near = _near(name, sorted(known))
    return f"did you mean '{near[0]}'? " if near else ""


def _near(name: str, known: list[str]) -> list[str]:
    return difflib.get_close_matches(name[:LONGEST], known, n=8, cutoff=0.4)
