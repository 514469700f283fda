"""Flags of every command, and files of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import call


def written(folder: Path, text: str) -> str:
    (folder / "mine.toml").write_text(text)
    return str(folder / "mine.toml")


def test_plain_commands_read_a_file_too(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, "episodes = 3\n[map]\nsize = 4\nvia = ['3,0']")
    assert call("demos", "make", "a.npz", "--config", file, "--json") == 0
    assert '"episodes": 3' in capsys.readouterr().out
    assert call("demos", "make", "b.npz", "--config", file, "--episodes", "2", "--json") == 0
    assert '"episodes": 2' in capsys.readouterr().out
    file = written(tmp_path, "episode = 3")
    assert call("evaluate", "nowhere", "--config", file) == 2
    assert "did you mean 'episodes'" in capsys.readouterr().err
    file = written(tmp_path, "file = 'c.npz'")
    assert call("demos", "make", "--config", file) == 2  # what stands without a flag is no setting
    assert "unknown setting 'file'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        *("resume X", "evaluate X", "imagine X", "reachability X", "runs", "render X.png", "demo"),
        *("reproduce fig2", "demos list", "demos info X", "demos record X Y", "train depo"),
        *("transfer X --env hopper", "cotrain depo", "demos from-traffic X --out Y"),
    ],
)
def test_every_command_takes_a_file(command: str, tmp_path: Path, capsys) -> None:
    file = written(tmp_path, "not_there = 1")
    (tmp_path / "X").mkdir()
    words = [str(tmp_path / "X") if word == "X" else word for word in command.split()]
    assert call(*words, "--config", file) == 2
    assert "mine.toml: unknown setting 'not_there'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("train", "depo", "--steps", "x"), "--steps 'x' is not a whole number"),
        (("train", "depo", "--steps=1e6"), "--steps '1e6' is not a whole number"),
        (("train", "depo", "--skill_rate", "fast"), "--skill-rate 'fast' is not a finite number"),
        (("train", "depo", "--seeds"), "--seeds needs a value: a whole number"),
        (("train", "depo", "--gradient", "stright"), "unknown --gradient 'stright'"),
        (("evaluate", "none", "--episodes", "1.5"), "--episodes '1.5' is not a whole number"),
        (("imagine", "none", "--seed", "x"), "--seed 'x' is not a whole number or nothing"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_sentence(
    words: tuple[str, ...], sentence: str, capsys
) -> None:
    assert call(*words, "--json") == 2
    said = capsys.readouterr()
    assert sentence in json.loads(said.out)["error"]
    assert said.err.startswith("depo: ")
    assert said.err.count("\n") == 1
