"""How much a file may take: sizes are looked at before anything is read, and limits can be raised.

A small file can ask for all the memory there is: an archive that expands, a header that declares a
giant array, a network of a billion units. Each is measured first, and refused with a sentence.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError

VARIABLE = "DEPO_READ_LIMIT"
"""The environment variable that says how much one file may take in memory (GiB)."""
GIB = 1 << 30
DEFAULT = 1.0
"""GiB."""
EXPANSION, LOOKED_AT = 200, 1 << 26
"""What expands to more than 64 MiB and by more than this factor is no recording, unless the user
has set a limit of their own."""
TEXT = 1 << 22
"""Bytes of a text that is parsed as a whole: settings, layouts, metadata."""
DEEPEST = 64
"""Lists and tables within each other in a file of ours; a parser goes deeper than what reads it."""
LARGEST_NUMBER = 1 << 1023
"""Whole numbers from here on no float holds, and far larger ones Python does not print."""
MEMORY_FILES = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)
"""Where a container's share of the memory stands."""


def read_limit() -> int:
    """Bytes that one file may take in memory."""
    given = os.environ.get(VARIABLE, "")
    try:
        limit = float(given or DEFAULT)
    except ValueError:
        limit = math.nan
    if not 0 < limit < math.inf:
        raise DepoError(f"{VARIABLE} '{given}' is not a positive number of GiB")
    return round(limit * GIB)


def check_size(size: float, where: str, stored: int | None = None) -> None:
    """Refuse what takes more than the limit, or expands suspiciously from ``stored`` bytes.

    >>> check_size(5 << 30, "a.npz")
    Traceback (most recent call last):
    depo.core.errors.DepoError: a.npz takes 5 GiB in memory, at most 1 GiB is read: if you trust \
the file, set DEPO_READ_LIMIT to more GiB
    """
    limit = read_limit()
    remedy = f"if you trust the file, set {VARIABLE} to more GiB"
    if size > limit:
        raise DepoError(
            f"{where} takes {in_gib(size)} in memory, at most {in_gib(limit)} is read: {remedy}"
        )
    expands = stored is not None and size > LOOKED_AT and size > EXPANSION * max(1, stored)
    if expands and not os.environ.get(VARIABLE):
        raise DepoError(
            f"{where} expands from {stored:,} to {size:,} bytes, more than {EXPANSION} times: "
            f"a recording does not; {remedy}"
        )


def check_depth(value: Any, where: str) -> None:
    """Refuse lists and tables that lie too deep within each other.

    >>> check_depth({"a": [[1], 2]}, "a.json")
    """
    level = [value]
    for _ in range(DEEPEST):
        level = [x for outer in level for x in _inside(outer) if isinstance(x, _NESTS)]
        if not level:
            return
    raise DepoError(f"{where} is nested too deeply, more than {DEEPEST} times: damaged?")


def check_whole_numbers(value: Any, where: str) -> None:
    """Refuse whole numbers of thousands of digits in plain data that are not nested too deeply.

    >>> check_whole_numbers({"a": [1 << 64]}, "a.json")
    >>> check_whole_numbers({"a": [1 << 99_999]}, "a.json")
    Traceback (most recent call last):
    depo.core.errors.DepoError: a.json holds a whole number of some 30,103 digits, more than any \
we write: damaged?
    """
    waiting = [value]
    while waiting:
        for inner in _inside(waiting.pop()):
            if isinstance(inner, _NESTS):
                waiting.append(inner)
            elif isinstance(inner, int) and abs(inner) >= LARGEST_NUMBER:
                digits = round(inner.bit_length() * math.log10(2))
                raise DepoError(
                    f"{where} holds a whole number of some {digits:,} digits, more than any we "
                    "write: damaged?"
                )


_NESTS = (Mapping, list, tuple)


def _inside(outer: Any) -> Iterable[Any]:
    return outer.values() if isinstance(outer, Mapping) else outer


def in_gib(size: float) -> str:
    """Bytes for people.

    >>> in_gib(3 << 29), in_gib(1 << 70)
    ('1.5 GiB', '1.1e+12 GiB')
    """
    if size == math.inf:
        return "countless GiB"
    return f"{size / GIB:.3g} GiB" if size >= GIB / 10 else f"{size / (1 << 20):.3g} MiB"


def memory() -> int:
    """Bytes this machine, or this container, has in all."""
    own = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in MEMORY_FILES:
        try:
            said = Path(file).read_text("utf-8").strip()
        except OSError:
            continue
        if said.isdigit():
            own = min(own, int(said))
    return own
