"""Episodes that no column names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from depo.data.importing import text
from depo.data.importing.marks import Labels, Marks
from tests.support.recordings import import_here

ROWS = np.arange(12)


def save(folder: Path, name: str, cells: list[str]) -> Path:
    path = folder / "a.csv"
    rows = [f"{i / 10},{cell}" for i, cell in zip(ROWS, cells, strict=True)]
    path.write_text("\n".join([f"x,{name}", *rows, ""]))
    return path


@pytest.mark.parametrize("chunk", [1 << 20, 16])
@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("done", [str(i % 4 == 3) for i in ROWS]),
        ("Terminated", [str(int(i % 4 == 3)) for i in ROWS]),
        ("is_first", [str(int(i % 4 == 0)) for i in ROWS]),
        ("step", [str(i % 4) for i in ROWS]),
        ("done", ["yes" if i % 4 == 3 else "no" for i in ROWS]),
        ("last", [str(int(i % 4 == 3)) for i in ROWS]),
        ("New_Episode", [str(int(i % 4 == 0)) for i in ROWS]),
        ("first", [str(i % 4 == 0) for i in ROWS]),
        ("clip", [f"walk {i // 4}" for i in ROWS]),
        ("run_id", [f"walk {i // 4}" for i in ROWS]),
        ("trajectory", [str(i // 4) for i in ROWS]),
    ],
)
def test_four_rows_an_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cells: list[str], chunk: int
) -> None:
    monkeypatch.setattr(text, "CHUNK", chunk)
    found = import_here(save(tmp_path, name, cells), {})
    demos = found.demonstrations()
    assert demos.feature_names == ("x",)
    assert demos.episode_lengths.tolist() == [4, 4, 4]
    np.testing.assert_allclose(demos.observations[:, 0], ROWS / 10, atol=1e-6)
    assert any(name in note for note in found.reports[0].notes)


def test_a_mark_that_the_user_names_is_one(tmp_path: Path) -> None:
    found = import_here(
        save(tmp_path, "done", [str(int(i == 5)) for i in ROWS]), {"episode": "done"}
    )
    assert found.demonstrations().episode_lengths.tolist() == [6, 6]


def test_marks_go_on_in_the_next_chunk() -> None:
    labels = Labels(Marks(ends=("a", "b")))
    assert labels.of(np.array([[0, 0], [0, 1.0]])).tolist() == [0, 0]
    assert labels.of(np.array([[np.nan, 0], [1.0, 1]])).tolist() == [1, 1]
    assert labels.of(np.array([[0.0, 0]])).tolist() == [2]


@pytest.mark.parametrize("time", ["", "t,"])
@pytest.mark.parametrize("between", ["\n", "\n\n", "\r\n", "HEADER"])
@pytest.mark.parametrize("chunk", [1 << 20, 16])
def test_a_blank_line_or_the_header_again_begins_an_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: str, between: str, chunk: int
) -> None:
    """They were joined, also where a clock goes on as before."""
    monkeypatch.setattr(text, "CHUNK", chunk)
    rows = [f"{i / 50},{i / 10}\n" if time else f"{i / 10}\n" for i in ROWS]
    header = f"{time}x\n" if time else "x\n"
    own = header if between == "HEADER" else between
    (tmp_path / "a.csv").write_text(header + own.join("".join(rows[i : i + 4]) for i in (0, 4, 8)))
    found = import_here(tmp_path / "a.csv", {}).demonstrations()
    assert found.episode_lengths.tolist() == [4, 4, 4]
    np.testing.assert_allclose(found.observations[:, 0], ROWS / 10, atol=1e-6)


def test_line_ends_that_were_written_twice_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"".join(b"%d.5,0.25\r\n\n" % i for i in ROWS))
    assert import_here(tmp_path / "a.csv", {}).demonstrations().episode_lengths.tolist() == [12]


@pytest.mark.parametrize("name", ["", "s"])
@pytest.mark.parametrize("trial", ["", "walk "])
def test_a_trial_of_a_subjects_is_told_by_both(tmp_path: Path, name: str, trial: str) -> None:
    """The last trial of one and the first of the next may have the same number."""
    subjects, trials = [1 + (i >= 8) for i in ROWS], [i // 4 for i in ROWS]
    if not (name and trial):  # of words, one column can be read
        trials = [1 + (i >= 4) for i in ROWS]
    rows = [f"{i / 10},{i / 5},{name}{subjects[i]},{trial}{trials[i]}" for i in ROWS]
    (tmp_path / "a.csv").write_text("\n".join(["x,y,subject,trial", *rows, ""]))
    found = import_here(tmp_path / "a.csv", {})
    assert found.names == ("x", "y")
    assert found.demonstrations().episode_lengths.tolist() == [4, 4, 4]
    said = "'subject' and 'trial'" if name and not trial else "'trial' and 'subject'"
    said = "'trial'" if name and trial else said
    assert f"episodes are told apart by column {said}" in found.reports[0].notes
