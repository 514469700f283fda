"""What lies in an HDF5 file of a stranger: its datasets of numbers; called in a child."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from depo.core.errors import DepoError, readable

DEEPEST, MOST = 16, 200_000
"""Groups within each other, and datasets in all."""


def opened(path: Path) -> Any:
    """The file, open; HDF5 may begin after a block of the user's, as MATLAB's files do."""
    try:
        import h5py
    except ImportError:
        raise DepoError("HDF5 files need h5py: pip install 'depo[minari]'") from None
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise DepoError(f"{path} is not a readable HDF5 file: {readable(str(error))}") from None


class Stored:
    """A dataset that is opened when it is read: open ones take 50 kB each, there may be many."""

    def __init__(self, file: Any, name: str, data: Any):
        self._file, self._name = file, name
        self.shape, self.dtype = data.shape, data.dtype

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: Any) -> np.ndarray:
        return np.asarray(self._file[self._name][rows])


class Turned:
    """A dataset of MATLAB's, which writes columns where others write rows."""

    def __init__(self, data: Any):
        self._data, self.dtype = data, data.dtype
        turned = data.shape[::-1]
        self.shape = turned[:1] if len(turned) == 2 and turned[1] == 1 else turned

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: slice) -> np.ndarray:
        read = np.asarray(self._data[..., rows]).T
        return read[:, 0] if len(self.shape) == 1 and read.ndim == 2 else read


def datasets(file: Any, path: Path) -> dict[str, Any]:
    """All datasets of numbers; links that lead elsewhere are not followed."""
    import h5py

    found: dict[str, Any] = {}
    records: list[str] = []
    waiting, seen = [("", file, 0)], 0
    while waiting:
        prefix, group, depth = waiting.pop()
        for name in group:
            seen += 1
            if seen > MOST or depth > DEEPEST:
                raise DepoError(
                    f"{path} holds more than {MOST:,} datasets, or groups more than {DEEPEST} deep"
                )
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue
            member = group[name]
            if "pandas_type" in member.attrs:
                raise DepoError(
                    f"{path}: '{readable(prefix + name)}' is a table as pandas.DataFrame.to_hdf "
                    "writes it: save it by DataFrame.to_parquet instead"
                )
            if isinstance(member, h5py.Group):
                waiting.append((f"{prefix}{name}/", member, depth + 1))
            elif isinstance(member, h5py.Dataset) and _is_plain(member):
                is_turned = "MATLAB_class" in member.attrs and len(member.shape) > 1
                stored = Stored(file, f"{prefix}{name}", member)
                found[f"{prefix}{name}"] = Turned(stored) if is_turned else stored
            elif getattr(getattr(member, "dtype", None), "names", None):
                records.append(prefix + name)
    if not found:
        why = (
            f": '{readable(records[0])}' is a table of records, save each field" if records else ""
        )
        raise DepoError(f"{path} has no dataset of numbers with rows{why}")
    return dict(sorted(found.items()))


def _is_plain(data: Any) -> bool:
    """Whether a dataset is rows of numbers that lie in this very file."""
    has_rows = 1 <= len(data.shape) <= 3 and min(data.shape) > 0
    return bool(
        has_rows and data.dtype.kind in "biuf" and not data.is_virtual and not data.external
    )
