"""An HDF5 file that has other files read is refused; one that leads in circles is not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

from depo.core.errors import DepoError  # noqa: E402
from depo.data.hdf5 import check_self_contained  # noqa: E402
from depo.data.minari_datasets import from_minari  # noqa: E402
from tests.hostile.kinds import make_minari  # noqa: E402


@pytest.fixture
def file(tmp_path: Path) -> Path:
    make_minari(tmp_path)
    (tmp_path / "secret.bin").write_bytes(np.full((7, 3), 42.0, np.float32).tobytes())
    path = tmp_path / "mine-v0" / "data" / "main_data.hdf5"
    shutil.copy(path, tmp_path / "other.hdf5")
    return path


def link(file: Any, folder: Path) -> None:
    del file["episode_0"]
    file["episode_0"] = h5py.ExternalLink(str(folder / "other.hdf5"), "/episode_0")


def numbers_beside(file: Any, folder: Path) -> None:
    del file["episode_0/observations"]
    place = [(str(folder / "secret.bin"), 0, h5py.h5f.UNLIMITED)]
    file["episode_0"].create_dataset("observations", (7, 3), "f4", external=place)


def put_together(file: Any, folder: Path) -> None:
    layout = h5py.VirtualLayout((7, 3), "f4")
    layout[:] = h5py.VirtualSource(str(folder / "other.hdf5"), "/episode_0/observations", (7, 3))
    del file["episode_0/observations"]
    file["episode_0"].create_virtual_dataset("observations", layout)


@pytest.mark.parametrize("lead", [link, numbers_beside, put_together])
def test_what_lies_in_another_file_is_not_read(
    lead: Callable[[Any, Path], None], file: Path, tmp_path: Path
) -> None:
    with h5py.File(file, "r+") as opened:
        lead(opened, tmp_path)
    with pytest.raises(DepoError, match=r"episode_0.* lies in another file"):
        check_self_contained(file)


def test_a_dataset_of_such_a_file_is_refused_as_a_whole(file: Path, tmp_path: Path) -> None:
    with h5py.File(file, "r+") as opened:
        numbers_beside(opened, tmp_path)
    with pytest.raises(DepoError, match=r"Minari dataset .* lies in another file"):
        from_minari(tmp_path / "mine-v0")


def test_circles_and_links_within_a_file_are_fine(file: Path) -> None:
    with h5py.File(file, "r+") as opened:
        opened["episode_0/itself"] = opened["episode_0"]
        opened["soft"] = h5py.SoftLink("/episode_1")
        opened["nowhere"] = h5py.SoftLink("/nothing")
    check_self_contained(file)
