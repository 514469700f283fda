"""Archives of arrays: pickles are refused, and so is what is damaged."""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import format as npy

from depo.core.errors import DepoError
from depo.core.npz import array_names, read_npz, write_npz


def test_arrays_read_back(tmp_path: Path) -> None:
    arrays = {"x": np.arange(6.0).reshape(2, 3), "name": np.array("é")}
    read = read_npz(write_npz(tmp_path / "a.npz", arrays))
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(read[name], array)
        assert read[name].dtype == array.dtype


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.array([{}], object), allow_pickle=True)
    with pytest.raises(DepoError, match="pickled objects, which depo never loads"):
        read_npz(tmp_path / "a.npz")


def test_what_is_no_archive_is_a_sentence(tmp_path: Path) -> None:
    whole = write_npz(tmp_path / "whole.npz", {"x": np.arange(1_000)}).read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[:-30])
    damaged = bytearray(whole)
    damaged[60:80] = bytes(20)
    (tmp_path / "damaged.npz").write_bytes(damaged)
    for name, message in [
        ("none.npz", "does not exist"),
        ("", "is a folder"),
        ("cut.npz", "is not an .npz file"),
        ("damaged.npz", "is not a readable .npz file"),
    ]:
        with pytest.raises(DepoError, match=message):
            read_npz(tmp_path / name)


def zeros(path: Path, name: str, shape: tuple[int, ...], size: int) -> None:
    """An archive whose array declares a shape, and has ``size`` bytes of zeros, well packed."""
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": shape})
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open(f"{name}.npy", "w", force_zip64=True) as file,
    ):
        file.write(header.getvalue())
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))


def test_a_bomb_is_refused_by_what_it_declares(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "bomb.npz"
    zeros(path, "x", (65 << 18,), 65 << 20)
    assert path.stat().st_size < 1 << 17
    with pytest.raises(DepoError, match=r"expands from .* more than 200 times"):
        read_npz(path)
    monkeypatch.setenv("DEPO_READ_LIMIT", "0.125")
    assert read_npz(path)["x"].shape == (65 << 18,)
    monkeypatch.setenv("DEPO_READ_LIMIT", "0.05")
    with pytest.raises(DepoError, match=r"at most 51\.2 MiB is read"):
        read_npz(path)


def test_an_array_that_nobody_wants_is_not_read(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "a.npz", {"x": np.arange(3)})
    zeros(path, "bomb", (65 << 18,), 65 << 20)
    np.testing.assert_array_equal(read_npz(path, ["x", "none"])["x"], np.arange(3))
    assert array_names(path) == {"x", "bomb"}


@pytest.mark.parametrize("shape", [(10**12,), (2**62, 4), (-1,), (0,)])
def test_a_declared_size_that_is_not_there_is_refused(tmp_path: Path, shape: tuple) -> None:
    zeros(tmp_path / "a.npz", "x", shape, 1 << 20)
    with pytest.raises(DepoError, match=r"declares .* bytes and has 1,048,576: damaged"):
        read_npz(tmp_path / "a.npz")


def test_every_changed_byte_of_the_directory_is_a_sentence_or_nothing(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "a.npz", {"x": np.arange(100), "y": np.zeros(3)})
    whole = path.read_bytes()
    for place in range(len(whole) - 180, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with contextlib.suppress(DepoError):
            found = read_npz(path)
            assert all(np.isfinite(array).all() for array in found.values())
        with contextlib.suppress(DepoError):
            array_names(path)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.npz")
    with pytest.raises(DepoError, match=r"is not an \.npz file"):
        read_npz(tmp_path / "a.npz")


def test_what_is_no_npz_file_can_become_one(tmp_path: Path) -> None:
    for name, remedy in [
        ("a.npz", "save with numpy.savez"),
        ("a.csv", "depo demos import .*a.csv"),
    ]:
        path = tmp_path / name
        path.write_text("x,y\n1,2\n")
        with pytest.raises(DepoError, match=f"is not an .npz file .*{remedy}"):
            array_names(path)
