"""Archives of arrays: pickles are refused, and so is what is damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.core.npz import read_npz, write_npz


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
