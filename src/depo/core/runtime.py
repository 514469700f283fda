"""What a process does once before it computes: compiled programs are kept between runs."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled programs are kept: ``DEPO_CACHE``, or the user's cache folder."""
    return users_folder("DEPO_CACHE", "XDG_CACHE_HOME", ".cache")


def users_folder(ours: str, standard: str, in_home: str) -> Path:
    """Where a variable of ours says; else depo's folder where the system's variable says, or in the
    home folder. An OSError where none is known: a container's user may have no home."""
    if given := os.environ.get(ours):
        return Path(given)
    try:
        return Path(os.environ.get(standard) or Path.home() / in_home) / "depo"
    except RuntimeError:
        said = "no home folder is known"
        raise FileNotFoundError(errno.ENOENT, said) from None


def cores() -> list[int]:
    """The processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


SAFE_PATH, OURS = "PYTHONSAFEPATH", "depo"
"""The variable by which Python leaves the current folder out, and our value of it."""


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """Processes that Python starts inside do not look for modules in the current folder first,
    which may be a stranger's; they are told where to look."""
    if os.environ.get(SAFE_PATH):
        yield
        return
    os.environ[SAFE_PATH] = OURS
    try:
        yield
    finally:
        forget_safe_path()


def forget_safe_path() -> None:
    """What is started later is not our business; what the user has set stays."""
    if os.environ.get(SAFE_PATH) == OURS:
        del os.environ[SAFE_PATH]


def prepare_jax() -> None:
    """Keep compiled programs between processes, unless the user has told JAX itself where to."""
    import jax

    if jax.config.values["jax_compilation_cache_dir"] and "DEPO_CACHE" not in os.environ:
        return
    try:
        folder = cache_folder() / "jax"
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a read-only home costs compile time, nothing else
    jax.config.update("jax_compilation_cache_dir", str(folder))
    if "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS" not in os.environ:
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
