"""Work that can be stopped half-way: it looks for a request where nothing is lost if it leaves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class Stopped(Exception):  # noqa: N818
    """Work was left half-way, because somebody asked for it."""


_IS_WANTED: ContextVar[Callable[[], bool] | None] = ContextVar("is_wanted", default=None)


@contextlib.contextmanager
def stopping_when(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """What is done in this block, in this thread, may be left at any :func:`may_stop`."""
    before = _IS_WANTED.set(is_wanted)
    try:
        yield
    finally:
        _IS_WANTED.reset(before)


def may_stop() -> None:
    """Leave, if that is wanted and whoever called can do without the rest.

    >>> may_stop()
    >>> with stopping_when(lambda: True):
    ...     may_stop()
    Traceback (most recent call last):
    depo.core.stopping.Stopped
    """
    is_wanted = _IS_WANTED.get()
    if is_wanted is not None and is_wanted():
        raise Stopped
