"""Plain NumPy archives: written atomically; read without pickles, after a look at the sizes."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import shutil
import stat
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from depo.core.errors import DepoError, readable
from depo.core.files import BLOCK, replacing, write_bytes
from depo.core.limits import TEXT, check_size, read_limit

HEADER = 1_000
"""Bytes of an array's header, with room to spare for ranks nobody has."""
DIRECTORY = 1 << 22
"""Bytes of a list of members: some 50,000 of them, which take a second to look at."""
QUICK = 1
"""Of zlib's levels: the last percent of size would cost most of the time."""
PLAIN = "biufU"
"""Kinds of numbers and texts that an archive of ours holds."""
TIMES = "mM"
"""Of dates and spans of time, which only recordings of others hold."""


def write_npz(path: str | Path, arrays: Mapping[str, np.ndarray]) -> Path:
    """Write arrays as one compressed ``.npz``, atomically."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    write_bytes(Path(path), buffer.getvalue())
    return Path(path)


def write_npz_from(
    path: Path,
    arrays: Mapping[str, np.ndarray],
    name: str,
    raw: IO[bytes],
    shape: tuple[int, ...],
    dtype: np.dtype,
) -> None:
    """The same with one more array, whose numbers come from a file: it need not fit in memory."""
    packing = {"compression": zipfile.ZIP_DEFLATED, "compresslevel": QUICK}
    with replacing(path) as whole, zipfile.ZipFile(whole, "w", **packing) as archive:  # type: ignore[call-overload]
        for member, array in arrays.items():
            with archive.open(f"{member}.npy", "w", force_zip64=True) as file:
                npy.write_array(file, np.asanyarray(array), allow_pickle=False)
        with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            own = {"shape": shape, "fortran_order": False, "descr": npy.dtype_to_descr(dtype)}
            npy.write_array_header_1_0(file, own)
            shutil.copyfileobj(raw, file, BLOCK)


def array_shapes(path: Path) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    """Shape and dtype of every array of a file; nothing but headers is read."""
    with _opened(path) as archive:
        found = {}
        for name, member in _members(archive, path).items():
            with archive.open(member) as file:
                found[name] = _header(file)[:2]
        return found


def read_npz(path: Path, wanted: Collection[str] | None = None) -> dict[str, np.ndarray]:
    """Those arrays of a file that are wanted (None: all), once their sizes are known to be fine.

    Pickled contents are refused, never run. An array that nobody wants is not looked at.
    """
    with _opened(path) as archive:
        members = _members(archive, path)
        chosen = members if wanted is None else {n: members[n] for n in wanted if n in members}
        sizes = [_checked(archive, member, path) for member in chosen.values()]
        check_size(sum(sizes), str(path))
        return {name: _array(archive, member, path) for name, member in chosen.items()}


Blocks = Callable[[str, int], np.ndarray]
"""Gives the next rows of an array of some name."""


@contextlib.contextmanager
def npz_blocks(path: Path, together: Sequence[Collection[str]]) -> Iterator[Iterator[Blocks]]:
    """Arrays of a file row after row: no more of them is in memory than was asked for. Those that
    are read ``together`` are open until the next are wanted: an archive of many is listed once.

    The same is refused as by ``read_npz``, but for the sum of sizes.
    """
    with _opened(path) as archive:
        members = _members(archive, path)

        def readers() -> Iterator[Blocks]:
            for wanted in together:
                with contextlib.ExitStack() as stack:
                    own = {n: _reader(archive, members[n], path, stack) for n in wanted}
                    yield lambda name, rows, own=own: own[name](rows)  # type: ignore[misc]

        yield readers()


def _reader(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, stack: contextlib.ExitStack
) -> Callable[[int], np.ndarray]:
    """What gives the next rows of an array."""
    _checked(archive, member, path, is_whole=False)
    file = stack.enter_context(archive.open(member))
    shape, dtype, _ = _header(file)
    if len(shape) > 1 and _is_fortran(archive, member):  # columns lie in a row
        name = member.filename.removesuffix(".npy")
        return _rows_of(read_npz(path, [name])[name])
    return partial(_next_rows, file, shape[1:], dtype)


def _next_rows(file: Any, shape: tuple[int, ...], dtype: np.dtype, rows: int) -> np.ndarray:
    data = file.read(rows * math.prod(shape) * dtype.itemsize)
    return np.frombuffer(data, dtype).reshape(-1, *shape)


def _rows_of(array: np.ndarray) -> Callable[[int], np.ndarray]:
    place = iter(range(len(array)))
    return lambda rows: array[list(itertools.islice(place, rows))]


def array_names(path: Path) -> set[str]:
    """What the arrays of a file are called."""
    with _opened(path) as archive:
        return set(_members(archive, path))


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive that is open for the block; whatever is wrong with it there is a sentence."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        raise DepoError(
            f"{path} does not exist: see 'depo demos list' for what ships with depo"
        ) from None
    if stat.S_ISDIR(mode):
        raise DepoError(f"{path} is a folder: give the .npz file itself")
    if not stat.S_ISREG(mode) or not _is_zip(path):
        made = f"'depo demos import {path} --out FILE.npz' makes one of tables and logs"
        remedy = "save with numpy.savez" if path.suffix == ".npz" else made
        raise DepoError(f"{path} is not an .npz file (or cut short): {remedy}")
    try:
        with path.open("rb") as file, _listed(file, path) as archive:
            yield archive
    except DAMAGE as error:
        said = readable(f"{type(error).__name__}: {error}")
        raise DepoError(f"{path} is not a readable .npz file (damaged?): {said}") from None


class _FewMembers:
    """A file whose list of members, which is read at once and parsed, is not too long."""

    def __init__(self, file: IO[bytes], path: Path):
        self._file, self._path = file, path
        self.tell, self.seek = file.tell, file.seek

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(min(size, DIRECTORY + 1) if size >= 0 else DIRECTORY + 1)
        if len(data) > DIRECTORY:
            raise DepoError(
                f"{self._path} lists members in more than {DIRECTORY:,} bytes: put episodes one "
                "after another into one array, with their lengths beside"
            )
        return data


def _listed(file: IO[bytes], path: Path) -> zipfile.ZipFile:
    archive = zipfile.ZipFile(_FewMembers(file, path))
    archive.fp = file
    return archive


DAMAGE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    OSError,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    SyntaxError,
    tokenize.TokenError,
    RecursionError,
)
"""What zip, its decompressors and NumPy's header parser raise."""


def _is_zip(path: Path) -> bool:
    try:
        return zipfile.is_zipfile(path)
    except DAMAGE:
        return False


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """The arrays by their names."""
    infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
    found = {info.filename.removesuffix(".npy"): info for info in infos}
    if len(found) < len(infos):  # of which programs take the first, or the last
        raise DepoError(f"{path} holds two arrays of one name: damaged?")
    return found


def _checked(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, *, is_whole: bool = True
) -> int:
    """The bytes of an array, after what the directory and the array's header declare was found to
    agree and to be within the limits; nothing but the header has been read.

    ``is_whole``: all of it is to be in memory.
    """
    name = readable(member.filename)
    size = member.file_size if is_whole else min(member.file_size, read_limit())
    check_size(size, f"{path}: '{name}'", member.compress_size)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DepoError(f"{path}: '{name}' is packed in an unknown way: save with numpy.savez")
    with archive.open(member) as file:
        shape, dtype, start = _header(file)
    if dtype.hasobject:
        raise DepoError(
            f"{path} holds pickled objects, which depo never loads: "
            "save plain numeric arrays instead (episodes concatenated, lengths beside)"
        )
    if dtype.kind not in PLAIN + TIMES * (not is_whole) or (
        dtype.kind == "U" and dtype.itemsize > 4 * TEXT
    ):
        raise DepoError(
            f"{path}: '{name}' has dtype {readable(str(dtype))}: expected plain numbers"
        )
    size = math.prod(shape) * dtype.itemsize
    has = member.file_size - start
    if min(shape, default=0) < 0 or size != has:
        raise DepoError(f"{path}: '{name}' declares {size:,} bytes and has {has:,}: damaged?")
    return size


def _is_fortran(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    with archive.open(member) as file:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        return bool(read(file, max_header_size=HEADER)[1])


def _header(file: Any) -> tuple[tuple[int, ...], np.dtype, int]:
    """Shape and dtype of an array, and where its numbers begin."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(file, max_header_size=HEADER)
    return shape, dtype, file.tell()


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> np.ndarray:
    with archive.open(member) as file:
        array = np.asarray(npy.read_array(file, allow_pickle=False, max_header_size=HEADER))
        if file.read(1):
            raise DepoError(f"{path}: '{readable(member.filename)}' is longer than it says")
    return array
