"""Which files a user means, and what they are: told by their first bytes, and by their folder."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from depo.core.errors import DepoError
from depo.core.files import check_plain_file
from depo.data.importing.archives import open_archive
from depo.data.importing.foreign import open_foreign
from depo.data.importing.formats import LOOKED_AT, format_of
from depo.data.importing.lerobot import ABOUT as LEROBOT
from depo.data.importing.lerobot import open_dataset
from depo.data.importing.table import Table
from depo.data.importing.text import open_text
from depo.data.minari_format import ABOUT as MINARI
from depo.data.minari_format import find_dataset

SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".dat", ".log", ".mot", ".sto"),
    *(".npz", ".parquet", ".pq", ".h5", ".hdf5"),
)
"""Of files that are taken from a folder; those of text may end in .gz, too."""
NO_RECORDING = ("readme", "license", "licence", "copying", "changelog", "requirements")
"""Beginnings of names, in lower case, that no recording in a folder has."""
MINARI_ID = re.compile(r"^[\w/-]+-v\d+$")
MOST_FILES = 100_000


class Found(NamedTuple):
    """A file or dataset, and its format."""

    path: Path
    format: str


def find_recordings(paths: Sequence[str | Path]) -> list[Found]:
    """The files that some paths mean: themselves, all in a folder, or those a pattern fits."""
    if isinstance(paths, str | Path):
        paths = [paths]
    found = [each for path in paths for each in _found(path)]
    if not found:
        raise DepoError("no recordings: give files, folders or patterns, as logs/*.csv")
    if len(found) > MOST_FILES:
        raise DepoError(f"{len(found):,} files, at most {MOST_FILES:,} are read at once")
    return list(dict.fromkeys(found))


def open_tables(found: Sequence[Found]) -> list[Table | DepoError]:
    """Look at each file; where one cannot be read, what is wrong with it."""
    tables: list[Table | DepoError] = []
    for format, group in groupby(found, key=lambda each: each.format):
        paths = [each.path for each in group]
        if format in ("parquet", "hdf5"):
            tables += open_foreign(format, paths)
            continue
        for path in paths:
            try:
                if format == "lerobot":
                    tables += open_dataset(path)
                elif format == "minari":
                    tables += open_foreign(format, [find_dataset(path)])
                else:
                    tables.append(_open(path, format))
            except DepoError as error:
                tables.append(error)
    return tables


def _open(path: Path, format: str) -> Table:
    if format == "npz":
        return open_archive(path)
    return open_text(path)


def natural(path: Path) -> list[tuple[int, int | str]]:
    """A key that sorts walk_2 before walk_10."""
    parts = re.split(r"(\d+)", str(path).lower())
    return [(1, int(part)) if part.isdecimal() else (0, part) for part in parts]


def _found(given: str | Path) -> list[Found]:
    path = Path(given)
    if path.exists():
        return _at(path)
    matches = [Path(name) for name in glob.glob(str(given), recursive=True)]  # noqa: PTH207  absolute ones, too
    if matches:
        return [each for match in sorted(matches, key=natural) for each in _at(match)]
    if MINARI_ID.match(str(given)):
        return [Found(path, "minari")]
    raise DepoError(f"{given} does not exist, and no file fits it as a pattern")


def _at(path: Path) -> list[Found]:
    """What lies at a path; a link that leads nowhere is refused."""
    if not path.exists():
        raise DepoError(f"{path} is a link that leads nowhere: mend it, or remove it")
    return _in_folder(path) if path.is_dir() else [Found(path, _format(path))]


def _in_folder(folder: Path) -> list[Found]:
    if (folder / LEROBOT).is_file():
        return [Found(folder, "lerobot")]
    if (folder / MINARI).is_file() or (folder / "data" / MINARI).is_file():
        return [Found(folder, "minari")]
    for files in (folder.iterdir(), folder.rglob("*")):
        names = [file for file in files if _is_taken(file)]
        if names:
            return [Found(file, _format(file)) for file in sorted(names, key=natural)]
    raise DepoError(f"{folder} holds no recording (files ending in {', '.join(SUFFIXES)})")


def _is_taken(file: Path) -> bool:
    name = file.name.lower().removesuffix(".gz")
    is_other = name.startswith((".", *NO_RECORDING))
    return name.endswith(SUFFIXES) and not is_other and not file.is_dir()


def _format(path: Path) -> str:
    check_plain_file(path, "a recording")
    if not path.stat().st_size:  # of /proc, too, where reading may wait for ever
        return "text"
    try:
        with path.open("rb") as file:
            return format_of(file.read(LOOKED_AT))
    except OSError as error:
        raise DepoError(f"{path} cannot be read: {error.strerror}") from None
