"""Folders that may come from anybody: plain files below one place, nothing that leads elsewhere.

A symbolic link in a folder would have us read, cut or overwrite a file somewhere else; a pipe or a
device would have us wait for ever. A link *to* a folder, which the user gives, is fine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from depo.core.errors import DepoError

DEEPEST, LARGEST = 16, 1_000_000
"""Folders inside one another, and files and folders in all, beyond which it is none of ours."""


def check_folder(folder: Path) -> None:
    """Refuse a folder with links, pipes or devices anywhere below, or one too large to look at."""
    count, waiting = 0, [(str(folder), 1)]
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    elif not entry.is_file(follow_symlinks=False):
                        raise _refused(folder, entry)
                    if count > LARGEST or depth > DEEPEST:
                        raise DepoError(
                            f"{folder} holds more than {LARGEST:,} files, or folders more than "
                            f"{DEEPEST} deep: it is no folder of depo's"
                        )
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone since: a run that is worked on; or no folder, as the caller will say
        except OSError as error:
            raise DepoError(f"{path} cannot be looked through: {error.strerror}") from None


def _refused(folder: Path, entry: os.DirEntry[str]) -> DepoError:
    inside = os.path.relpath(entry.path, folder)
    if entry.is_symlink():
        return DepoError(
            f"{folder} holds the link '{inside}', which may lead anywhere: replace it by what it "
            "stands for, or remove it"
        )
    return DepoError(f"{folder} holds '{inside}', which is no plain file: remove it")


def open_plain(path: Path, mode: str) -> IO[Any]:
    """``open`` for a file inside such a folder: follows no link, and waits for no pipe."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)

    return open(path, mode, opener=opener)
