from __future__ import annotations

import json
from pathlib import Path

from tests.support import reach
from tests.support.cart import ID, demonstrations, recording
from tests.support.command import call


def test_a_recording_that_fits_is_drawn(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    demonstrations(recording()).save("mine.npz")
    assert call("demos", "check", "mine.npz", "--env", ID, "--strict") == 0
    said = capsys.readouterr().out
    assert "mine.npz fits" in said
    assert "figure: mine-check.png" in said
    assert Path("mine-check.png").read_bytes().startswith(b"\x89PNG")


def test_where_nothing_can_be_written_it_says_what_it_found(
    tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demonstrations(recording()).save("mine.npz")
    Path("mine-check.png").mkdir()
    assert call("demos", "check", "mine.npz", "--env", ID) == 0
    said = capsys.readouterr()
    assert "mine.npz fits" in said.out
    assert "no figure: " in said.err
    assert call("demos", "check", "mine.npz", "--env", ID, "--figure", "mine-check.png") == 2


def test_one_that_does_not_is_named_and_refused_if_strict(tmp_path: Path, capsys) -> None:
    file = demonstrations([walk * [1000, 1, 1, 1] for walk in recording()]).save(tmp_path / "x.npz")
    words = ("demos", "check", file, "--env", ID, "--figure", tmp_path / "x.png")
    assert call(*words, "--json", "--strict") == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["fits"]
    assert [(f["kind"], f["features"]) for f in found["findings"]] == [("units", [0])]


def test_what_is_observed_is_what_is_compared(tmp_path: Path, capsys) -> None:
    file = reach.walks().save(tmp_path / "walks.npz")
    words = ["demos", "check", file, "--env", f"{reach.__name__}:make_reach", "--steps", "50"]
    assert call(*words, "--json", "--observe", "observation") == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert "6 features, the environment 2" in found["sentence"]
    whole = "observation,desired_goal,achieved_goal"
    words += ["--figure", str(tmp_path / "x.png")]
    assert call(*words, "--json", "--observe", whole) == 0
    kinds = {finding["kind"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert "dimension" not in kinds
