"""Parsers in this process, and some that misbehave in a child."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError


@contextlib.contextmanager
def without_child(
    function: str, arguments: Mapping[str, Any], what: str, size: int
) -> Iterator[tuple[Path, Any]]:
    """As ``in_child``, in this process and without limits."""
    del what, size
    module, _, name = function.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        yield out, getattr(importlib.import_module(module), name)(**arguments, out=str(out))


def fine(word: str, out: str) -> str:
    Path(out).write_text(word)
    return word.upper()


def endless(out: str) -> None:
    while out:
        pass


def greedy(out: str) -> None:
    held = [out.encode()]
    while held:
        held.append(bytes(1 << 28))


def crashing(out: str) -> None:
    ctypes.string_at(0 * len(out))


def refusing(out: str) -> None:
    raise DepoError("the file is blue: paint it")


def failing(what: str, out: str) -> None:
    raise KeyError(f"{what}\n{out}")
