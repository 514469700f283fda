from __future__ import annotations

import os
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.data import Demonstrations
from depo.data.importing.sources import find_recordings
from depo.data.minari_datasets import to_minari
from tests.support.recordings import demos_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:minari")


def names(*paths: str | Path) -> list[str]:
    return [f"{each.path.name}:{each.format}" for each in find_recordings(paths)]


def test_files_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("w_10.csv", "w_2.csv", "notes.md", ".hidden.csv", "b.tsv.gz"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.csv").write_text("a\n1\n")
    assert names(tmp_path) == ["b.tsv.gz:text", "w_2.csv:text", "w_10.csv:text"]
    assert names(tmp_path / "sub", tmp_path / "w_*.csv") == [
        "c.csv:text",
        "w_2.csv:text",
        "w_10.csv:text",
    ]
    assert names(tmp_path / "w_2.csv", tmp_path / "w_2.csv") == ["w_2.csv:text"]
    assert names("D4RL/door/human-v2") == ["human-v2:minari"]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DepoError, match=r"x.csv does not exist"):
        find_recordings([tmp_path / "x.csv"])
    with pytest.raises(DepoError, match="holds no recording"):
        find_recordings([tmp_path])
    with pytest.raises(DepoError, match="no recordings"):
        find_recordings([])
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DepoError, match="no plain file"):
        find_recordings([tmp_path])


def test_a_minari_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    demos = Demonstrations.from_episodes([[[0.0, 1], [2, 3]], [[4, 5.0], [6, 7], [8, 9]]])
    folder = to_minari(demos, "mine-v0")
    again = demos_of(folder, {}, step=0.1)
    assert (again.observations == demos.observations).all()
    assert again.episode_lengths.tolist() == [2, 3]
    note = again.metadata["import"]["files"][0]["notes"][0]
    assert note == "rows are steps of an environment already: not resampled"
