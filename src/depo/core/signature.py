"""Which folders this user has made: settings carry a keyed digest (HMAC) under a key of the user's.

The key is made at first use, in a file that only the user can read. Whoever has not got it cannot
write settings that pass for the user's own, nor change a value in them unnoticed. A copy of a
folder keeps its signature, which is of what the settings say and not of where they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import logging
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError
from depo.core.runtime import users_folder

SIGNATURE = "signature"
"""What the digest is called in a file."""
PLACE = "made_in"
"""What the word for the folder is called in which depo ran."""
KEY_BYTES = 32
_PRIVATE, _OTHERS = 0o600, 0o077


def key_file() -> Path:
    """Where the key is: below ``DEPO_CONFIG``, or in the user's configuration folder."""
    return users_folder("DEPO_CONFIG", "XDG_CONFIG_HOME", ".config") / "key"


def signed(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The data with this user's signature; as they are where no key can be kept.

    ``kind`` says what sort of file it is, so that one cannot be passed off as another.
    """
    key = _read_key() or _make_key()
    return {**data, SIGNATURE: _digest(key, kind, data)} if key else dict(data)


def is_signed(kind: str, data: Mapping[str, Any]) -> bool:
    """Whether data carry this user's signature and are as they were when it was given."""
    found = data.get(SIGNATURE)
    if not isinstance(found, str) or not found.isascii() or (key := _read_key()) is None:
        return False
    try:
        return hmac.compare_digest(found, _digest(key, kind, data))
    except RecursionError:  # nested deeper than anything we write
        return False


def here() -> str:
    """The current folder, as a word that tells others nothing; empty where no key can be kept."""
    key = _read_key() or _make_key()
    try:
        return _digest(key, PLACE, {"folder": str(Path.cwd())}) if key else ""
    except OSError:  # it was removed
        return ""


def _digest(key: bytes, kind: str, data: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in data.items() if name != SIGNATURE}
    text = json.dumps([kind, plain], sort_keys=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _read_key() -> bytes | None:
    """The key; None: there is none yet. Refuses one that somebody else may know."""
    try:
        path = key_file()
    except FileNotFoundError:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DepoError(f"{path}, which signs your folders: {error.strerror}") from None
    try:
        _check_key(path, os.fstat(descriptor))
        return os.read(descriptor, KEY_BYTES)
    finally:
        os.close(descriptor)


def _check_key(path: Path, about: os.stat_result) -> None:
    whose = f"{path}, which signs your folders,"
    if not stat.S_ISREG(about.st_mode):
        raise DepoError(f"{whose} is no plain file: remove it, a new one is made")
    if about.st_uid != os.geteuid():
        raise DepoError(
            f"{whose} belongs to user {about.st_uid}, you are {os.geteuid()}: have it removed, or "
            "set DEPO_CONFIG to a folder of your own"
        )
    if about.st_mode & _OTHERS:
        mode = stat.S_IMODE(about.st_mode)
        raise DepoError(
            f"{whose} can be read or written by others (mode {mode:04o}): 'chmod 600 {path}' if "
            "nobody has, else remove it, a new one is made and older folders need --trust"
        )
    if about.st_size != KEY_BYTES:
        raise DepoError(
            f"{whose} has {about.st_size} bytes, not {KEY_BYTES}: damaged; remove it, a new one is "
            "made and older folders need --trust"
        )


def _make_key() -> bytes | None:
    """A new key, or the one that another process made in the same instant; None: no place."""
    try:
        path = key_file()
        _place_key(path, path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp"))
    except OSError as error:
        logging.getLogger("depo").warning(
            "no key can be kept (%s): folders that are made now count as a stranger's; set "
            "DEPO_CONFIG to a folder that can be written",
            ": ".join(filter(None, (error.filename, error.strerror))),
        )
        return None
    return _read_key()


def _place_key(path: Path, temporary: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(temporary, flags, _PRIVATE), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)  # of several processes the first one's key stays
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
