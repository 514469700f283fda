"""The list of runs, damaged ones among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from depo.api import make_job
from depo.runs.training import begin
from tests.support.command import call
from tests.support.runs import cloning


def test_a_damaged_run_does_not_hide_the_others(tmp_path: Path, capsys) -> None:
    for name, settings in [("list", "[]"), ("cut", '{"format": 1, "job"'), ("old", "{}")]:
        (tmp_path / name / "checkpoints").mkdir(parents=True)
        (tmp_path / name / "settings.json").write_text(settings)
    assert call("runs", tmp_path, "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed) == 3
    assert all(row["status"].startswith("damaged: ") for row in listed)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.csv", b"\xff\x00\xfe"),
        ("metrics.csv", b"a,b\n1,2\n"),
        ("metrics.csv", b"seed,env_steps\n0,x\n"),
        ("metrics.csv", b"seed,env_steps\ninf,0\n"),
        ("metrics.csv", b"seed,env_steps\nnan,0\n"),
        ("metrics.csv", b"seed,env_steps\n7,0\n"),
        ("checkpoints/000000/progress.json", b'{"block": Infinity, "metrics_bytes": 0}'),
        ("checkpoints/000000/progress.json", b'{"block": 1e999, "metrics_bytes": 0}'),
        ("settings.json", b'{"format": 2, "made_with": []}'),
        ("timing.csv", b"env_steps,seconds\n64,abc\n"),
        ("timing.csv", b"env_steps,seconds\n64,inf\n"),
        ("timing.csv", b"nothing\n1\n"),
    ],
)
def test_damaged_tables_do_not_hide_the_other_runs(
    tmp_path: Path, capsys, name: str, content: bytes
) -> None:
    for folder in ("whole", "damaged"):
        begin(
            make_job(
                "bco", steps=128, env_args={"size": 3}, overrides={"hidden": 8, "batch_steps": 64}
            ),
            tmp_path / folder,
        )
    (tmp_path / "damaged" / name).write_bytes(content)
    assert call("runs", tmp_path, "--json") == 0
    damaged, whole = json.loads(capsys.readouterr().out)
    assert damaged["status"].startswith("damaged: ")
    assert name in damaged["status"]
    assert whole["status"] == "stopped"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_no_word_is_broken(tmp_path: Path, monkeypatch, capsys, is_terminal: bool) -> None:
    monkeypatch.chdir(tmp_path)
    console = Console(width=80, force_terminal=is_terminal, color_system=None, markup=False)
    for module in ("output", "runs"):
        monkeypatch.setattr(f"depo.cli.{module}.stdout", console)
    path = Path("runs") / "depo-on-a-world-of-nine-cells-1"
    begin(make_job("bco", steps=64, env_args={"size": 3}, overrides={"hidden": 8}), path)
    (tmp_path / "runs" / "bad" / "checkpoints").mkdir(parents=True)
    (tmp_path / "runs" / "bad" / "settings.json").write_text("[]")
    assert call("runs") == 0
    *lines, trouble = capsys.readouterr().out.splitlines()
    for word in (str(path), "bco", "gridworld-3x3-k1", "stopped", "damaged"):
        assert any(word in line for line in lines)
    assert trouble.startswith("runs/bad is damaged: runs/bad/settings.json holds a JSON list")
    if is_terminal:
        assert max(map(len, lines)) <= 80
    else:
        assert len([line for line in lines if "│" in line]) == 2  # a run is a line


def test_watching_shows_what_changes_and_ends_with_the_last_run(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    looks = [[], ["running", "stopped"], ["running", "stopped"], ["finished"] * 2]
    monkeypatch.setattr("depo.cli.watching.EVERY", 0.0)
    monkeypatch.setattr("depo.cli.watching.find_runs", lambda _: looks.pop(0))
    monkeypatch.setattr("depo.cli.watching.row_of", lambda status: {"run": "a", "status": status})
    assert call("runs", tmp_path, "--watch", "--json") == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[row["status"] for row in rows] for rows in shown] == [
        [],
        ["running", "stopped"],
        ["finished", "finished"],
    ]
    assert not looks


def test_watching_ends_where_nothing_goes_on(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("depo.cli.watching.EVERY", 0.0)
    begin(cloning(), tmp_path / "run")
    assert call("runs", tmp_path, "--watch") == 0
    said = capsys.readouterr().out
    assert said.count("stopped") == 1
