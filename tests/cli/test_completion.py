"""Completion scripts: of bash, what it completes; of the others, what they name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from depo.cli.main import COMMANDS
from tests.support.command import call


@pytest.fixture(scope="module")
def script(tmp_path_factory) -> Path:
    """Bash's, as somebody saves it."""
    import contextlib
    import io

    file, text = tmp_path_factory.mktemp("completion") / "depo.bash", io.StringIO()
    with contextlib.redirect_stdout(text):
        assert call("completion", "bash") == 0
    file.write_text(text.getvalue())
    return file


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    last = len(words) - 1
    told = f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={last}; _depo;"
    command = ["bash", "-c", told + ' echo "${COMPREPLY[@]}"']
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_bash_reads_it(script: Path) -> None:
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("depo tr", ["train", "transfer"]),
        ("depo train gaifo-", ["gaifo-dp"]),
        ("depo train depo --skill-ra", ["--skill-rate"]),
        ("depo train depo --env hop", ["hopper"]),
        ("depo train depo --engine s", ["slurm"]),
        ("depo train depo --wal", ["--walls"]),
        ("depo train depo --env-", ["--env-args"]),
        ("depo transfer runs/mine --dyn", ["--dynamics"]),
        ("depo train depo --obs", ["--observe"]),
        ("depo demos che", ["check"]),
        ("depo demos import --col", ["--columns"]),
        ("depo demos import --sett", []),
        ("depo completion bash --f", []),
        ("depo demos check --obs", ["--observe"]),
        ("depo runs --wa", ["--watch"]),
        ("depo reproduce fig3 --ke", ["--keep"]),
        ("depo completion f", ["fish"]),
    ],
)
def test_bash_completes(script: Path, words: str, offered: list[str]) -> None:
    assert completed(script, *words.split()) == offered


def test_the_others_name_every_command_and_an_unknown_shell_is_refused(capsys) -> None:
    for shell in ("zsh", "fish"):
        assert call("completion", shell) == 0
        said = capsys.readouterr().out
        assert all(name in said for name in COMMANDS)
    assert "-l skill-rate" in said
    assert call("completion", "fsh") == 2
    assert "did you mean 'fish'" in capsys.readouterr().err
