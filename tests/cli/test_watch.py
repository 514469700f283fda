from __future__ import annotations

from pathlib import Path

import pytest

from depo.analysis.yardstick import Yardstick
from depo.cli import watch
from depo.cli.watch import chart_lines
from depo.runs.run import Run
from tests.support.command import call
from tests.support.kept_runs import GRID, POINT, kept_run, with_seeds


def test_into_a_pipe_it_writes_a_line_for_each_evaluation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = with_seeds(kept_run(GRID, tmp_path / "run"), 0, 1)
    assert call("watch", run) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "64 of 128 steps, success rate 0.344 (0.339 to 0.349)"
    assert second.startswith("128 of 128 steps, success rate 0.344")
    assert last == "finished"


def test_a_running_run_is_followed_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks the run goes on: each evaluation is told once."""
    folder = kept_run(GRID, tmp_path / "run")
    metrics = folder / "metrics.csv"
    whole = metrics.read_text()
    metrics.write_text("".join(whole.splitlines(keepends=True)[:2]))
    states = iter(["running", "running", "finished"])
    monkeypatch.setattr(Run, "status", lambda self: next(states))
    monkeypatch.setattr(watch.time, "sleep", lambda seconds: metrics.write_text(whole))
    assert call("watch", folder, "--every", "5") == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["64", "128", "finished"]


def test_a_chart_fits_eighty_columns(tmp_path: Path) -> None:
    run = Run.open(with_seeds(kept_run(GRID, tmp_path / "run"), 0, 1, 2))
    known = Yardstick({"success": 0.1}, {"success": 1.0})
    lines = chart_lines(run, "running", "", known, width=80, height=24)
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24
    assert lines[0] == "run: depo on gridworld-3x3-k1, 3 seeds, running"
    assert any(line.endswith("expert") for line in lines)
    assert any(line.endswith("random") for line in lines)
    narrow = chart_lines(run, "running", "", known, width=40, height=10)
    assert max(map(len, narrow)) <= 40


def test_any_metric_can_be_watched_and_another_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = kept_run(POINT, tmp_path / "run")
    assert call("watch", run, "--metric", "skill_error", "--once") == 0
    assert "skill error" in capsys.readouterr().out
    assert call("watch", run, "--metric", "skill_eror") == 2
    assert "did you mean 'skill_error'" in capsys.readouterr().err


def test_before_the_first_evaluation_there_is_nothing_to_draw(tmp_path: Path) -> None:
    folder = kept_run(GRID, tmp_path / "run")
    (folder / "metrics.csv").unlink()
    lines = chart_lines(Run.open(folder), "running", "", Yardstick(), 80, 24)
    assert lines[-1] == "no evaluation yet"
