"""Files that are either the old good version or the new good one, whatever happens between."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
import tomllib
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from depo.core.errors import DepoError, readable, unknown
from depo.core.limits import DEEPEST, TEXT, check_depth, check_whole_numbers

BLOCK = 1 << 20
"""Bytes that are read at a time."""
TOML = 1 << 18
"""Bytes of a TOML file: people write them, and its parser is slow."""
_TOKEN = re.compile(r"""[\w-]+|"[^"\n]*"|'[^'\n]*'|\.|[ \t]+|(?P<other>.|\n)""")


def write_bytes(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` atomically: a kill at any instant leaves one whole version."""
    with replacing(path) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of ``path`` once the block has written all of it."""
    if not path.name:
        raise DepoError(f"cannot write '{path}': it is a folder, give a file")
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except (OSError, ValueError) as error:  # the latter of a name with a zero in it
        reason = error.strerror if isinstance(error, OSError) else error
        raise DepoError(
            f"cannot write {path}: {reason}; nothing saved before was touched"
        ) from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as readable JSON, atomically."""
    write_bytes(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def json_digest(value: Any) -> str:
    """A fingerprint of plain data, whatever the order of its names."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def parse_object(text: str, where: str) -> dict[str, Any]:
    """The JSON object in a text; NaN and infinity, which JSON does not have, are for the codec."""
    if len(text) > TEXT:
        raise DepoError(f"{where} has {len(text):,} characters, more than {TEXT:,}: damaged?")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Of a name that stands twice every program takes another value."""
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise DepoError(f"{where} says '{readable(twice)}' twice: damaged?")
        return found

    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise DepoError(f"{where} is not readable JSON: {readable(str(error))}") from None
    if not isinstance(value, dict):
        raise DepoError(f"{where} holds a JSON {type(value).__name__}, not an object: damaged?")
    check_depth(value, where)
    check_whole_numbers(value, where)
    return value


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that must hold an object, or say that it is missing or broken."""
    return parse_object(read_text(path, "JSON"), str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file, or say that it is missing or broken."""
    text = read_text(path, "TOML", TOML)
    _check_keys(text, str(path))
    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DepoError(f"{path} is not readable TOML: {readable(str(error))}") from None
    check_depth(value, str(path))
    check_whole_numbers(value, str(path))
    return value


def read_bytes(path: Path, kind: str, most: int = TEXT) -> bytes:
    """The whole of a plain file; refuses what is none (a pipe never ends), or too large."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DepoError(f"{path} is no plain file: expected {kind}")
            data = file.read(most + 1)
    except FileNotFoundError:
        raise DepoError(f"{path} does not exist") from None
    except (ValueError, OSError) as error:
        raise DepoError(f"{path} is not readable {kind}: {error}") from None
    if len(data) > most:
        raise DepoError(f"{path} has more than the {most:,} bytes of {kind}: damaged?")
    return data


def check_plain_file(path: Path, kind: str) -> None:
    """Refuse what is missing, a folder, or no file at all: a library that opens a pipe waits."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        raise DepoError(f"{path} does not exist") from None
    if not stat.S_ISREG(mode):
        raise DepoError(f"{path} is no plain file: expected {kind}")


def file_digest(path: Path, length: int | None = None) -> str:
    """A fingerprint of a file, or of its first bytes."""
    sha, left = hashlib.sha256(), length
    with path.open("rb") as file:
        while block := file.read(BLOCK if left is None else min(left, BLOCK)):
            sha.update(block)
            left = None if left is None else left - len(block)
    return sha.hexdigest()


def own_copy(path: Path, kind: str, most: int = TEXT) -> None:
    """A file of its own, if others are the same by a hard link (so do backups): to append to it
    would change them."""
    if path.is_file() and path.stat().st_nlink > 1:
        write_bytes(path, read_bytes(path, kind, most))


def read_text(path: Path, kind: str, most: int = TEXT) -> str:
    """The same, as text."""
    try:
        return read_bytes(path, kind, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DepoError(f"{path} is not readable {kind}: {error}") from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe would wait for somebody to write


def _check_keys(text: str, where: str) -> None:
    """Refuse a.b.c.… of many parts, for which the parser takes memory by their number's square."""
    dots = 0
    for token in _TOKEN.finditer(text):
        if token[0] == ".":
            dots += 1
            if dots > DEEPEST:
                raise DepoError(f"{where} has a name of more than {DEEPEST} parts: damaged?")
        elif token.lastgroup == "other":
            dots = 0


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a temporary folder that becomes ``path`` in one rename when the block ends well."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        yield temporary
        temporary.rename(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise DepoError(
            f"cannot write {path}: {error.strerror}; nothing saved before was touched"
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def as_path(given: object, what: str) -> Path:
    """A path that was given as one, or as text.

    >>> as_path(3, "run")
    Traceback (most recent call last):
    depo.core.errors.DepoError: run is a int: give a path
    """
    if isinstance(given, str | Path):
        if "\0" in str(given):
            raise DepoError(f"{what} '{readable(str(given))}' is no name that a file can have")
        return Path(given)
    raise DepoError(f"{what} is a {type(given).__name__}: give a path")


def named_file(name: str | Path, known: Mapping[str, Path], kind: str) -> Path:
    """What a user means by ``name``: a path, or one of the files known by a name."""
    path = Path(name)
    if path.suffix or path.exists() or len(path.parts) > 1:
        return path
    if str(name) not in known:
        raise unknown(kind, str(name), known)
    return known[str(name)]


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a dataset's folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)
