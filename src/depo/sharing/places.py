"""Where folders are shared: a folder of this machine, or any URL that fsspec knows.

A place lists plain files with their sizes, reads and writes them. Names come from a stranger, so
they are looked at before anything is written here.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, runtime_checkable

from depo.core.errors import DepoError, readable
from depo.core.files import new_folder, read_bytes, write_bytes
from depo.core.folders import check_folder
from depo.models.card import CARD, SETTINGS
from depo.models.weights_file import WEIGHTS
from depo.zoo.entries import ENTRY, README

URL = re.compile(r"[A-Za-z][\w+.-]*::?//|[A-Za-z][\w+-]*::")
MODEL_FILES = {SETTINGS, WEIGHTS, CARD}
PARTS = ("planner", "policy")
ENTRY_FILES = {ENTRY, README} | {f"{part}/{file}" for part in PARTS for file in MODEL_FILES}
MOST_FILES, DEEPEST = 64, 4
LARGEST = 1 << 28
"""Bytes of one file, and of all: models are megabytes."""


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
        """A new folder, whole in one rename; a model that it replaces is moved aside just before
        and removed, anything else is kept beside it."""
        target = self.folder.resolve()
        former = replace and target.is_dir()
        is_model = former and is_model_folder(self.sizes())
        if former and not is_model:
            _refuse_to_move(target)
        aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
        try:
            with new_folder(target) as folder:
                for name, data in files.items():
                    write_bytes(folder / name, data)
                if former:
                    target.rename(aside)
        finally:
            if aside.exists() and not target.exists():  # nothing came in its place
                aside.rename(target)
        if former and not (is_model and _remove_model(aside)):
            _keep(aside, target)


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
            former = self._former() if replace else set()
            for name in sorted(files, key=lambda name: (name.endswith(".json"), name)):
                path = self._path(name)
                self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
                with self._files.open(path, "wb") as file:
                    file.write(files[name])
            for name in former - set(files):
                self._files.rm_file(self._path(name))

    def _former(self) -> set[str]:
        """The files of the model that is there; refused if anything else is."""
        names = self.sizes()
        if names and not is_model_folder(names):
            raise DepoError(
                f"'{readable(self.url)}' holds '{readable(_foreign(names))}', which is no file of "
                "a model: --force replaces models only, choose another place"
            )
        return set(names)

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}" if self._root.strip("/") else name


def is_model_folder(names: Iterable[str]) -> bool:
    """Whether these are the files of a model, or of an entry of a zoo, and no others.

    >>> is_model_folder(["settings.json", "weights.safetensors"]), is_model_folder(["README.md"])
    (True, False)
    """
    found = set(names)
    whole = ENTRY in found or SETTINGS in found
    return whole and not found - (ENTRY_FILES if ENTRY in found else MODEL_FILES)


def _foreign(names: Iterable[str]) -> str:
    """A file that is none of a model's, or the first."""
    return min(set(names) - MODEL_FILES - ENTRY_FILES, default=min(names))


def _refuse_to_move(target: Path) -> None:
    """Refuse to put something in place of a folder that more than itself hangs on."""
    for find, what in ((Path.home, "your home folder"), (Path.cwd, "the current folder")):
        with contextlib.suppress(RuntimeError, OSError):  # there is none
            place = find().resolve()
            if target in (place, *place.parents):
                raise DepoError(f"{target} is {what}, or above it: --force leaves it alone")
    inside = sorted(each.name for each in target.iterdir() if each.is_dir() or each.name[0] == ".")
    if inside:
        raise DepoError(
            f"{target} is no planner, skill, policy or zoo entry (it holds "
            f"'{readable(inside[0])}'): --force replaces these only, choose another folder"
        )


def _remove_model(folder: Path) -> bool:
    """Whether nothing but the files of a model was in it, which are gone now."""
    for name in sorted(ENTRY_FILES | MODEL_FILES):
        (folder / name).unlink(missing_ok=True)
    for each in (*(folder / part for part in PARTS), folder):
        with contextlib.suppress(OSError):  # there is none, or something else is in it
            each.rmdir()
    return not folder.exists()


def _keep(aside: Path, target: Path) -> None:
    """Give what was there a name of its own, and say so."""
    numbers = itertools.count(2)
    kept = target.with_name(f"{target.name}.former")
    while kept.exists():
        kept = target.with_name(f"{target.name}.former-{next(numbers)}")
    aside.rename(kept)
    logging.getLogger("depo").warning("%s was no model: it is kept as %s", target, kept)


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
    if (whole := sum(sizes.values())) > LARGEST:  # they are checked together, in memory
        raise DepoError(f"{where} has {whole:,} bytes in all, at most {LARGEST:,} are taken")
