"""Plain NumPy archives: written atomically, read with pickling off."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError
from depo.core.files import write_bytes


def write_npz(path: str | Path, arrays: Mapping[str, np.ndarray]) -> Path:
    """Write arrays as one compressed ``.npz``, atomically."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    write_bytes(Path(path), buffer.getvalue())
    return Path(path)


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """All arrays of a file; pickled contents are refused, never run."""
    if not path.exists():
        raise DepoError(f"{path} does not exist: see 'depo demos list' for what ships with depo")
    if path.is_dir():
        raise DepoError(f"{path} is a folder: give the .npz file itself")
    try:
        if not zipfile.is_zipfile(path):
            raise DepoError(f"{path} is not an .npz file (or cut short): save with numpy.savez")
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except DepoError:
        raise
    except ValueError as error:
        if "Object arrays" in str(error):
            raise DepoError(
                f"{path} holds pickled objects, which depo never loads: "
                "save plain numeric arrays instead (episodes concatenated, lengths beside)"
            ) from None
        raise DepoError(f"{path} is not a readable .npz file: {error}") from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, OSError, EOFError, KeyError) as error:
        raise DepoError(f"{path} is not a readable .npz file (truncated?): {error}") from None
    except Exception as error:  # zlib and NumPy header parsers raise their own kinds
        raise DepoError(
            f"{path} is not a readable .npz file (damaged?): {type(error).__name__}: {error}"
        ) from None
