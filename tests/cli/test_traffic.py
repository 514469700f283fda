from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from depo.data import Demonstrations
from depo.driving.traffic import Recording
from depo.driving.traffic.preparation import split_of
from depo.driving.traffic.text import write_text
from tests.support.command import call
from tests.support.traffic import recording_of


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty vehicles that cross I-80 one after the other, slowing down behind a slow one."""
    moves = np.concatenate([np.linspace(-20, 60, 80), np.linspace(60.5, 340, 500)])
    tracks = [(25 * v + 1, moves, 2.0) for v in range(20)]
    recording = recording_of(tracks, original_id=np.arange(1, 21))
    return write_text(recording, tmp_path_factory.mktemp("traffic") / "trajectories.txt")


def test_a_text_becomes_a_scene(tmp_path: Path, text: Path, capsys) -> None:
    out, figure = tmp_path / "scene.npz", tmp_path / "scene.png"
    assert call("demos", "from-traffic", text, "--out", out, "--figure", figure, "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["arrive_as_recorded"] == 1.0
    assert about["arrive_at_constant_velocity"] < 0.5
    assert about["reports"]["trajectories"]["rows"] == len(text.read_text().splitlines())
    assert figure.stat().st_size > 10_000
    scene = Recording.load(out)
    split = split_of(scene)
    assert (len(split.train), len(split.validation), len(split.test)) == (14, 3, 3)
    assert scene.metadata["preparation"]["smoothed"] == 15


def test_settings_of_a_scene_are_flags(tmp_path: Path, text: Path, capsys) -> None:
    out = tmp_path / "scene.npz"
    flags = ["--vehicles", "10", "--shares", "85/15", "--smooth", "3", "--blacklist", "2", "3"]
    assert call("demos", "from-traffic", text, text, "--out", out, *flags) == 0
    assert "trajectories" in capsys.readouterr().out
    scene = Recording.load(out)
    split = split_of(scene)
    assert (len(split.train), len(split.validation), len(split.test)) == (8, 0, 2)
    assert scene.vehicles == 2 * 18
    assert scene.metadata["recordings"][0]["preparation"]["smoothed"] == 3


def test_a_recording_goes_back_to_text(tmp_path: Path, text: Path, capsys) -> None:
    scene, again = tmp_path / "scene.npz", tmp_path / "again.txt"
    assert call("demos", "from-traffic", text, "--out", scene) == 0
    again.write_text("what was there before")
    assert call("demos", "export-traffic", scene, again) == 0
    assert "20 vehicles" in capsys.readouterr().out.splitlines()[-1]
    assert call("demos", "export-traffic", scene, again, "--json") == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(again)
    assert len(again.read_text().split("\n")[0].split()) == 18
    assert call("demos", "info", scene, "--json") == 0
    assert json.loads(capsys.readouterr().out)["test"] == 3


def test_the_training_vehicles_become_demonstrations(tmp_path: Path, text: Path) -> None:
    scene, file = tmp_path / "scene.npz", tmp_path / "demos.npz"
    assert call("demos", "from-traffic", text, "--out", scene, "--demos", file) == 0
    demos, split = Demonstrations.load(file), split_of(Recording.load(scene))
    assert (demos.episodes, demos.dimension) == (len(split.train), 28)
    assert demos.metadata["vehicles"] == sorted(split.train)
    start, end = Recording.load(scene).road.zone
    x = next(iter(demos))[:, 0]
    assert start < x[0] < start + 2
    assert end < x[-1] < end + 2


def test_vehicles_that_do_not_cross_may_be_chosen_if_they_are_there(
    tmp_path: Path, text: Path, capsys
) -> None:
    out, plain = tmp_path / "scene.npz", tmp_path / "no ending"
    plain.write_bytes(text.read_bytes())
    flags = ["--no-complete", "--no-crop", "--vehicles", "0"]
    assert call("demos", "from-traffic", plain, "--layout", "ngsim-text", "--out", out, *flags) == 0
    split = split_of(Recording.load(out))
    assert len([*split.train, *split.validation, *split.test]) == 20


def test_errors_are_one_sentence(tmp_path: Path, text: Path, capsys) -> None:
    out = tmp_path / "scene.npz"
    for words, expected in [
        ([text, "--slots", "3"], "holds 1 recordings"),
        ([tmp_path / "absent.csv"], "does not exist"),
        (["stop-and-og"], "did you mean 'stop-and-go'"),
        ([text, "--layout", "ngsim"], "unknown layout"),
        ([text, "--smooth", "-1"], "negative"),
    ]:
        assert call("demos", "from-traffic", *words, "--out", out) == 2
        error = capsys.readouterr().err.strip().splitlines()[-1]
        assert expected in error
    assert not out.exists()
