"""One process works on a run at a time: a lock on a file in its folder ends with the process."""

from __future__ import annotations

import contextlib
import fcntl
import logging
from collections.abc import Iterator
from pathlib import Path

from depo.core.errors import DepoError
from depo.core.folders import open_plain

LOCK = ".lock"


@contextlib.contextmanager
def locked(run: Path) -> Iterator[None]:
    """Work on a run alone. A file system that has no locks (so are some clusters') is told of."""
    with open_plain(run / LOCK, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DepoError(f"{run} is in use by another process") from None
        except OSError as error:
            logging.getLogger("depo").warning(
                "%s cannot be locked (%s): see to it that no second process works on it",
                run,
                error.strerror,
            )
        yield


def is_locked(run: Path) -> bool:
    """Whether a process works on a run now; looks only, so it works on a read-only run."""
    try:
        file = open_plain(run / LOCK, "r")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # there are no locks
            return False
    return False
