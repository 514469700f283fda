"""How much a file may take: sizes are looked at before anything is read, and limits can be raised.

A small file can ask for all the memory there is: an archive that expands, a header that declares a
giant array, a network of a billion units. Each is measured first, and refused with a sentence.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
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


def check_size(size: int, where: str, stored: int | None = None) -> None:
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
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
            if isinstance(inner, Mapping | list | tuple)
        ]
        if not level:
            return
    raise DepoError(f"{where} is nested too deeply, more than {DEEPEST} times: damaged?")


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
