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


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"\x93NUMPY\x01\x00", "numpy.savez"),
        (b"#ROSBAG V2.0\n", "one topic a file"),
        (b"\x80\x04\x95\x01", "a pickle, which depo never loads"),
        (b'{"t": 0.0}\n', "JSON: save it as CSV"),
        (b"PK\x03\x04", "is not an .npz file"),
    ],
)
def test_other_formats_are_named_with_what_to_do(tmp_path: Path, head: bytes, said: str) -> None:
    (tmp_path / "a.bin").write_bytes(head)
    with pytest.raises(DepoError, match=said):
        demos_of(tmp_path / "a.bin", {})


def test_a_file_beside_others_is_left_out_on_request(tmp_path: Path) -> None:
    for name, rows in (("README.txt", "Walks."), ("a.csv", "t,x\n0,1\n1,2\n"), ("b.csv", "")):
        (tmp_path / name).write_text(rows)
    with pytest.raises(DepoError, match=r"b.csv is empty.*--skip-unreadable goes on without it"):
        demos_of(tmp_path, {})
    assert demos_of(tmp_path, {"skip_unreadable": True}).episode_lengths.tolist() == [2]


@pytest.mark.parametrize("target", ["loop.csv", "gone.csv"])
def test_a_link_that_leads_nowhere_is_said(target: str, tmp_path: Path) -> None:
    """It is there, does not exist, and fits itself as a pattern."""
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "loop.csv").symlink_to(tmp_path / target)
    for given in ("loop.csv", "*.csv"):
        with pytest.raises(DepoError, match=r"loop.csv is a link that leads nowhere"):
            find_recordings([tmp_path / given])
