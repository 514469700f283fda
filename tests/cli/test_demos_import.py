"""The command, from an awful CSV to a file, a report and a figure."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from depo.data import Demonstrations
from tests.support.command import call
from tests.support.recordings import write_csv


def log(path: Path, name: str = "pole [deg]") -> Path:
    time = np.arange(300) * 8.0
    pole = [f"{x:.4f}" for x in 20 * np.sin(time / 300)]
    pole[50:53] = ["", "ERR", ""]
    columns = {"Time [ms]": time, "cart [mm]": 300 * np.cos(time / 500), name: pole}
    return write_csv(path, columns, ";", decimal=",", start="\ufeff", end="\n\n\n")


def test_from_a_logger_to_demonstrations(tmp_path: Path, capsys) -> None:
    log(tmp_path / "run_1.csv")
    out, figure = tmp_path / "pole.npz", tmp_path / "pole.png"
    flags = ["--env", "InvertedPendulum-v5", "--velocities", "--figure", str(figure)]
    assert call("demos", "import", tmp_path, "--out", out, *flags) == 0
    said = capsys.readouterr()
    assert "'ERR' is no number" in said.out
    assert said.err == ""  # a bar is for a terminal
    demos = Demonstrations.load(out)
    assert demos.feature_names == ("cart", "pole", "cart_velocity", "pole_velocity")
    assert demos.episode_lengths.tolist() == [60]
    assert np.abs(demos.observations[:, 1]).max() < np.deg2rad(20.1)
    assert figure.read_bytes().startswith(b"\x89PNG")
    again = ["--columns", "pole", "v=pole:rate", "--hz", "100", "--json"]
    assert call("demos", "import", tmp_path / "*.csv", "--out", out, *again) == 0
    about = json.loads(capsys.readouterr().out)
    assert (about["episodes"], about["dimension"], about["hz"]) == (1, 2, 100.0)
    assert about["files"][0]["unreadable"] == 1


def test_what_cannot_be_done_is_one_sentence(tmp_path: Path, capsys) -> None:
    log(tmp_path / "run_1.csv")
    log(tmp_path / "run_2.csv", "pole angle [deg]")
    out = tmp_path / "pole.npz"
    assert call("demos", "import", tmp_path, "--out", out) == 2
    said = capsys.readouterr().err
    sentence = f"depo: {tmp_path / 'run_2.csv'}: unknown column 'pole': did you mean 'pole angle'?"
    assert said.startswith(sentence)  # nothing stands before it
    assert call("demos", "import", "--out", out) == 2
    assert not out.exists()
