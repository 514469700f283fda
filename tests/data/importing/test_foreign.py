"""Parquet and HDF5."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import polars as pl
import pytest

from depo.core.errors import DepoError
from depo.data.importing import foreign
from tests.support.recordings import demos_of, import_here

TIME = np.arange(50) * 0.1


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "time": TIME,
            "x [mm]": 1000.0 * TIME,
            "pair": [[t, -t] for t in TIME],
            "name": ["a"] * 30 + ["b"] * 20,
        }
    )


def test_parquet_with_lists_and_words(tmp_path: Path) -> None:
    table().write_parquet(tmp_path / "a.parquet")
    demos = demos_of(tmp_path / "a.parquet", {"columns": ("x", "pair"), "episode": "name"})
    assert demos.feature_names == ("x", "pair.0", "pair.1")
    assert demos.episode_lengths.tolist() == [30, 20]
    expected = np.stack([TIME, TIME, -TIME], axis=1)
    np.testing.assert_allclose(demos.observations, expected, atol=1e-6)


def test_parquet_with_dates(tmp_path: Path) -> None:
    stamps = (1.7e9 * 1e6 + np.arange(50) * 1e5).astype(np.int64)
    column = pl.Series(stamps).cast(pl.Datetime("us"))
    pl.DataFrame({"timestamp": column, "x": TIME}).write_parquet(tmp_path / "a.parquet")
    found = import_here(tmp_path / "a.parquet", {}, step=0.2)
    assert found.reports[0].recorded_hz == pytest.approx(10, rel=1e-4)
    assert len(found.demonstrations().observations) == 25


@pytest.mark.real_child
def test_a_child_reads_many_files_and_a_damaged_one_costs_a_sentence(tmp_path: Path) -> None:
    for i in range(3):
        table().write_parquet(tmp_path / f"{i}.parquet")
    demos = demos_of(tmp_path, {"columns": ("x",)})
    assert demos.episode_lengths.tolist() == [50, 50, 50]
    data = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(DepoError, match=r"1.parquet cannot be read"):
        import_here(tmp_path, {"columns": ("x",)})


def test_hdf5_with_a_group_for_each_episode(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.hdf5", "w") as file:
        for number, rows in ((10, 4), (2, 3)):
            group = file.create_group(f"data/demo_{number}")
            group["obs/joint"] = np.full((rows, 2), number, float)
            group["obs/height"] = np.arange(rows, dtype=float)
            group["actions"] = np.zeros((rows - 1, 1))
    demos = demos_of(tmp_path / "a.hdf5", {})
    assert demos.feature_names == ("obs/height", "obs/joint.0", "obs/joint.1")
    assert demos.episode_lengths.tolist() == [3, 4]
    assert demos.observations[:, 1].tolist() == [2, 2, 2, 10, 10, 10, 10]


def test_hdf5_as_one_table_with_marked_ends(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["observations"] = np.arange(12.0).reshape(6, 2)
        file["terminals"] = np.array([0, 0, 0, 0, 0, 1])
        file["timeouts"] = np.array([0, 1, 0, 0, 0, 0])
        file["actions"] = np.zeros((6, 1))
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
    demos = demos_of(tmp_path / "a.h5", {})
    assert demos.feature_names == ("observations.0", "observations.1")
    assert demos.episode_lengths.tolist() == [2, 4]


def test_hdf5_of_other_lengths_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for i in range(2):
            file[f"e{i}/q"], file[f"e{i}/v"] = np.zeros(5), np.zeros(4)
    said = r"a.h5, e0: datasets have different numbers of rows \('q' 5, 'v' 4\)"
    with pytest.raises(DepoError, match=said):
        import_here(tmp_path / "a.h5", {})


def test_files_are_converted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = foreign.convert
    monkeypatch.setattr(foreign, "convert", lambda **a: calls.append(len(a["paths"])) or real(**a))
    for i in range(5):
        table().write_parquet(tmp_path / f"{i}.parquet")
    import_here(tmp_path, {"columns": ("x",)})
    assert calls == [5]
    calls.clear()
    monkeypatch.setattr(foreign, "TOGETHER", 1)
    import_here(tmp_path, {"columns": ("x",)})
    assert calls == [1] * 5


def test_parquet_of_lists_that_begin_with_none_and_of_lists_of_lists(tmp_path: Path) -> None:
    pairs = [None, *([t, -t] for t in TIME[1:])]
    stamps = pl.Series((TIME * 1e6).astype(np.int64)).cast(pl.Datetime("us"))
    frame = pl.DataFrame({"pair": pairs, "__index_level_0__": stamps, "done": TIME[20] == TIME})
    frame.write_parquet(tmp_path / "a.parquet")
    demos = demos_of(tmp_path / "a.parquet", {})
    assert demos.episode_lengths.tolist() == [20, 29]
    np.testing.assert_allclose(demos.observations[:, 1], -TIME[1:], atol=1e-6)
    pl.DataFrame({"obs": [[[1.0, 2.0]] * 5]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DepoError, match=r"'obs' holds lists of lists.*one row a step"):
        import_here(tmp_path / "a.parquet", {})


def test_hdf5_of_episodes_of_equal_length(tmp_path: Path) -> None:
    cube = np.arange(24.0).reshape(3, 4, 2)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["obs"], file["actions"] = cube, np.zeros((3, 3, 1))
    demos = demos_of(tmp_path / "a.h5", {})
    assert demos.episode_lengths.tolist() == [4, 4, 4]
    np.testing.assert_array_equal(demos.observations, cube.reshape(12, 2))


def test_structs_in_parquet_are_columns(tmp_path: Path) -> None:
    pose = [{"at": {"x": 1.0 * i, "y": 2.0 * i}, "yaw": 0.1 * i} for i in range(4)]
    columns = {"time": [0.0, 0.1, 0.2, 0.3], "pose": pose, "v": [5.0] * 4}
    pl.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    demos = demos_of(tmp_path / "a.parquet", {})
    assert demos.feature_names == ("pose.at.x", "pose.at.y", "pose.yaw", "v")
    np.testing.assert_allclose(demos.observations[2], [2, 4, 0.2, 5], atol=1e-6)


def test_hdf5_with_a_column_for_each_time_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["time"], file["state"] = np.arange(30.0), np.zeros((3, 30))
    with pytest.raises(DepoError, match=r"'state' has shape \(3, 30\) and 'time' 30 times"):
        import_here(tmp_path / "a.h5", {})


def test_structs_whose_fields_would_have_one_name_stay_structs(tmp_path: Path) -> None:
    columns = {"a": [{"b.c": t} for t in TIME], "a.b": [{"c": -t} for t in TIME], "x": TIME}
    pl.DataFrame({"time": TIME, **columns}).write_parquet(tmp_path / "a.parquet")
    demos = demos_of(tmp_path / "a.parquet", {})
    assert demos.feature_names == ("a.b.c", "x")
    np.testing.assert_allclose(demos.observations[:, 0], TIME, atol=1e-6)


def test_lists_of_different_lengths_are_no_state(tmp_path: Path) -> None:
    """What the shorter ones lack was made of their neighbours."""
    ragged = pl.DataFrame({"t": TIME, "v": [[1.0] * (1 + i % 3) for i in range(50)]})
    ragged.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DepoError, match=r"'v \(1 to 3\)' holds lists of different lengths"):
        import_here(tmp_path / "a.parquet", {})
    ragged.with_columns(x=pl.Series(TIME)).write_parquet(tmp_path / "a.parquet")
    found = import_here(tmp_path / "a.parquet", {})
    assert (found.names, found.reports[0].notes) == (
        ("x",),
        ["lists of different lengths: v (1 to 3)"],
    )


def test_matrices_beside_a_table_are_no_episodes(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["t"], file["pos"], file["rotation"] = TIME, TIME[:, None], np.zeros((50, 3, 3))
    demos = demos_of(tmp_path / "a.h5", {})
    assert (demos.feature_names, len(demos.observations)) == (("pos",), 50)


def test_a_table_of_records_is_named(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["log"] = np.zeros(20, dtype=[("t", "f8"), ("x", "f8")])
    with pytest.raises(DepoError, match="with rows: 'log' is a table of records"):
        demos_of(tmp_path / "a.h5", {})


def test_lists_of_very_many_numbers_are_refused(tmp_path: Path) -> None:
    """All but the first ten thousand were left out without a word."""
    pl.DataFrame({"x": [[0.0] * 10_001] * 12}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DepoError, match="'x' holds lists of 10,001 numbers, at most 10,000"):
        import_here(tmp_path / "a.parquet", {})
