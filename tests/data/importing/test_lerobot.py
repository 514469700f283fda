"""Datasets of LeRobot's versions 2 and 3, made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from depo.core.errors import DepoError
from tests.support.recordings import demos_of, import_here

LENGTHS = (12, 20, 15)
MOTORS = {"dtype": "float32", "shape": [2], "names": {"motors": ["pan", "lift"]}}


def episode(number: int) -> pl.DataFrame:
    rows = LENGTHS[number]
    time = np.arange(rows) / 10
    return pl.DataFrame(
        {
            "observation.state": [[number + t, 2 * t] for t in time],
            "action": [[0.0, 0.0]] * rows,
            "timestamp": time.astype(np.float32),
            "frame_index": np.arange(rows),
            "episode_index": np.full(rows, number),
            "index": np.arange(rows),
            "task_index": np.zeros(rows, int),
        },
        schema_overrides={"observation.state": pl.List(pl.Float32)},
    )


def write(folder: Path, version: int, **about: Any) -> Path:
    info = {
        "codebase_version": f"v{version}.0",
        "fps": 10,
        "features": {
            "observation.state": MOTORS,
            "action": MOTORS,
            "observation.images.top": {"dtype": "video", "shape": [3, 4, 4]},
        },
        **about,
    }
    (folder / "meta").mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    data = folder / "data" / "chunk-000"
    data.mkdir(parents=True)
    if version == 2:
        for i in range(3):
            episode(i).write_parquet(data / f"episode_{i:06d}.parquet")
    else:
        of_episodes = folder / "meta" / "episodes" / "chunk-000"
        of_episodes.mkdir(parents=True)
        pl.DataFrame({"length": LENGTHS}).write_parquet(of_episodes / "file-000.parquet")
        pl.concat([episode(0), episode(1)]).write_parquet(data / "file-000.parquet")
        episode(2).write_parquet(data / "file-001.parquet")
    return folder


@pytest.mark.parametrize("version", [2, 3])
def test_both_versions_give_the_same(tmp_path: Path, version: int) -> None:
    folder = write(tmp_path / "set", version)
    demos = demos_of(folder, {})
    assert demos.feature_names == ("pan", "lift")
    assert demos.episode_lengths.tolist() == list(LENGTHS)
    assert demos.metadata["time_step"] == pytest.approx(0.1, rel=1e-4)
    third = list(demos)[2]
    np.testing.assert_allclose(third[:, 0], 2 + np.arange(15) / 10, atol=1e-6)
    assert len(demos_of(folder, {"columns": ("lift",)}, step=0.05).observations) == 23 + 39 + 29


def test_what_a_dataset_lacks_is_said(tmp_path: Path) -> None:
    broken = write(tmp_path / "a", 2, fps="fast")
    with pytest.raises(DepoError, match="fps"):
        import_here(broken, {})
    empty = write(tmp_path / "b", 2)
    for file in empty.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(DepoError, match="without data"):
        import_here(empty, {})


def test_a_name_that_two_vectors_have_is_not_taken(tmp_path: Path) -> None:
    hand = {"dtype": "float32", "shape": [2], "names": ["lift", "thumb"]}
    features = {"observation.state": MOTORS, "observation.state.hand": hand}
    folder = write(tmp_path / "set", 2, features=features)
    for file in folder.rglob("*.parquet"):
        table = pl.read_parquet(file)
        pairs = [[0.0, 1.0]] * len(table)
        table.with_columns(pl.Series("observation.state.hand", pairs)).write_parquet(file)
    names = ("pan", "observation.state.1", "observation.state.hand.0", "thumb")
    assert demos_of(folder, {}).feature_names == names


def test_episodes_that_were_not_fetched_are_said(tmp_path: Path) -> None:
    folder = write(tmp_path / "set", 2, total_episodes=3)
    (folder / "data" / "chunk-000" / "episode_000001.parquet").unlink()
    found = import_here(folder, {})
    assert found.demonstrations().episode_lengths.tolist() == [12, 15]
    assert any("2 files of 3 episodes are here" in note for note in found.reports[0].notes)
