"""Where folders are shared: a folder of this machine, or any URL that fsspec knows.

A place lists plain files with their sizes, reads and writes them. Names come from a stranger, so
they are looked at before anything is written here.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, runtime_checkable

from depo.core.errors import DepoError, readable
from depo.core.files import new_folder, read_bytes, write_bytes
from depo.core.folders import check_folder

URL = re.compile(r"[A-Za-z][\w+.-]*::?//|[A-Za-z][\w+-]*::")
MOST_FILES, DEEPEST = 64, 4
LARGEST = 1 << 28
"""Bytes of one file: models are megabytes."""


@runtime_checkable
class Place(Protocol):
    """Files below one folder, by names with ``/``."""

    def sizes(self) -> dict[str, int]:
        """Every file and its size; empty: there is nothing."""

    def read(self, name: str) -> bytes:
        """The whole of a file."""

    def write(self, files: dict[str, bytes], *, replace: bool) -> None:
        """Put files there; ``replace`` what is there already."""


def open_place(where: str | Path) -> Place:
    """The place that a path or a URL means."""
    if isinstance(where, str) and URL.match(where):
        return FsspecPlace(where)
    return FolderPlace(Path(where))


class FolderPlace:
    """A folder of this machine."""

    def __init__(self, folder: Path):
        self.folder = folder

    def sizes(self) -> dict[str, int]:
        """Every plain file; links and pipes are refused."""
        if not self.folder.is_dir():
            return {}
        check_folder(self.folder)
        files = (file for file in sorted(self.folder.rglob("*")) if file.is_file())
        return {file.relative_to(self.folder).as_posix(): file.stat().st_size for file in files}

    def read(self, name: str) -> bytes:
        """The whole of a file."""
        return read_bytes(self.folder / name, "a file of a model", LARGEST)

    def write(self, files: dict[str, bytes], *, replace: bool) -> None:
        """A new folder, whole in one rename; what it replaces is moved aside just before."""
        aside = self.folder.with_name(f".{self.folder.name}.{uuid.uuid4().hex}.tmp")
        with new_folder(self.folder) as folder:
            for name, data in files.items():
                write_bytes(folder / name, data)
            if replace and self.folder.exists():
                self.folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


class FsspecPlace:
    """Below a URL, by fsspec."""

    def __init__(self, url: str):
        try:
            import fsspec
        except ImportError:
            raise DepoError(
                f"'{readable(url)}' needs the package 'fsspec', which is not installed: "
                "pip install 'depo[share]'"
            ) from None
        self.url = url
        try:
            self._files, self._root = fsspec.core.url_to_fs(url)
        except Exception as error:  # of any file system that somebody has written
            raise DepoError(f"cannot open '{readable(url)}': {error}") from None

    def sizes(self) -> dict[str, int]:
        """Every file below."""
        with _explained(self.url):
            if not self._files.exists(self._root):
                return {}
            found: dict[str, Any] = self._files.find(self._root, maxdepth=DEEPEST + 1, detail=True)
        root = self._root.strip("/")
        named = {name.strip("/"): about for name, about in found.items()}
        inside = {name.removeprefix(root).strip("/"): about for name, about in named.items()}
        return {name: int(about.get("size") or 0) for name, about in inside.items() if name}

    def read(self, name: str) -> bytes:
        """The whole of a file; not more than its place has said is large."""
        with _explained(self.url), self._files.open(self._path(name), "rb") as file:
            data = bytes(file.read(LARGEST + 1))
        if len(data) > LARGEST:
            raise DepoError(f"'{name}' of {readable(self.url)} has more than {LARGEST:,} bytes")
        return data

    def write(self, files: dict[str, bytes], *, replace: bool) -> None:
        """One file after the other, settings last: without them it is no model yet."""
        with _explained(self.url):
            if replace and self._files.exists(self._root):
                self._files.rm(self._root, recursive=True)
            for name in sorted(files, key=lambda name: (name.endswith(".json"), name)):
                path = self._path(name)
                self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
                with self._files.open(path, "wb") as file:
                    file.write(files[name])

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}" if self._root.strip("/") else name


class _explained:  # noqa: N801  a context manager, used like a function
    """Errors of file systems that anybody may have written, as a sentence."""

    def __init__(self, url: str):
        self.url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, DepoError):
            said = readable(str(error) or type(error).__name__)
            raise DepoError(f"'{readable(self.url)}' failed: {said}") from None


def checked_names(sizes: dict[str, int], where: str) -> Iterator[str]:
    """Names that stay inside a folder, of few files that are not large; refuses others."""
    if len(sizes) > MOST_FILES:
        raise DepoError(f"{where} holds {len(sizes)} files, a model at most {MOST_FILES}")
    for name, size in sizes.items():
        path = PurePosixPath(name)
        inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name
        plain = name.isprintable() and ":" not in name and len(path.parts) <= DEEPEST
        if not inside or not plain or any(part.startswith(".") for part in path.parts):
            raise DepoError(f"{where} holds '{readable(name)}', which is no name of a model's file")
        if size > LARGEST:
            raise DepoError(f"{where}: '{name}' has {size:,} bytes, at most {LARGEST:,} are taken")
        yield name
