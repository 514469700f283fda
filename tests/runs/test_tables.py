"""Tables of numbers."""

from __future__ import annotations

from pathlib import Path

from depo.runs.tables import append_csv


def test_rows_follow_the_header(tmp_path: Path) -> None:
    append_csv(tmp_path / "own.csv", [{"seed": 0, "return": 1.5}])
    append_csv(tmp_path / "own.csv", [{"return": 2.5, "seed": 1}])
    assert (tmp_path / "own.csv").read_text() == "seed,return\n0,1.5\n1,2.5\n"
