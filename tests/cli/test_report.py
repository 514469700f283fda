from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import call
from tests.support.kept_runs import GRID, kept_run


def test_a_report_is_written_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = kept_run(GRID, tmp_path / "run")
    (tmp_path / "sb3.csv").write_text('#{"t_start": 0}\nr,l,t\n1.0,10,0.1\n0.0,30,0.2\n')
    page = tmp_path / "page.html"
    arguments = ["report", run, "-o", page, "--curves", f"PPO={tmp_path}/sb3.csv", "--json"]
    assert call(*arguments, "--no-measure") == 0
    assert json.loads(capsys.readouterr().out)["report"] == str(page)
    assert "PPO" in page.read_text()


def test_what_is_no_run_is_refused_and_nothing_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("report", tmp_path, "--out", tmp_path / "page.html") == 2
    assert "is not a run" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
