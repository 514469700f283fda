"""The tutorial "my robot and my CSV", from top to bottom: every file it shows, every command.

Trainings are cut short, and their networks made small; nothing else is changed. Without the slow
tests it goes as far as the training, whose flags ``test_docs`` looks at.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import depo
from tests.support.command import call

PAGE = Path(__file__).parents[1] / "docs" / "tutorial-csv.md"
SHORT = [
    "--steps",
    "80",
    "--skill-hidden",
    "8",
    "--minibatch",
    "8",
    "--batch-steps",
    "20",
    "--random-steps",
    "40",
    "--evaluate-every",
    "2",
    "--checkpoint-every",
    "1",
]
PLANNER = ["--hidden", "8", "--discriminator-hidden", "8"]
LONG = ("train", "evaluate", "reachability", "transfer")
"""Commands whose programs take long to compile: some 15 s of processor time together."""


def blocks(kind: str) -> list[tuple[str, str]]:
    """Title and text of the page's blocks of one kind."""
    pattern = rf'^```{kind}(?: title="([^"]*)")?\n(.*?)^```'
    return re.findall(pattern, PAGE.read_text(), re.MULTILINE | re.DOTALL)


def shortened(words: list[str]) -> list[str]:
    """A command line of the page, with less to learn."""
    if words[0] not in ("train", "transfer"):
        return words
    at = words.index("--steps")
    return [*words[:at], *words[at + 2 :], *SHORT, *(PLANNER if words[0] == "train" else [])]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder with the files of the page, as the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for title, text in blocks("python"):
        (tmp_path / title).write_text(text)
    yield tmp_path
    sys.modules.pop("my_robot", None)


def run_script(path: Path) -> None:
    exec(compile(path.read_text(), path.name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("left_out", [LONG, pytest.param((), marks=pytest.mark.slow)])
def test_the_tutorial_runs(
    folder: Path, capsys: pytest.CaptureFixture[str], left_out: tuple[str, ...]
) -> None:
    run_script(folder / "make_logs.py")
    shown = blocks("text")[0][1].splitlines()[:-1]  # the last line is an ellipsis
    assert (folder / "logs" / "motion_0.csv").read_text().splitlines()[: len(shown)] == shown
    lines = [line for _, text in blocks("sh") for line in text.splitlines()]
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        assert program == "depo"
        if words[0] not in left_out:
            assert call(*shortened(words)) == 0, line
    demos = depo.load_demonstrations("arm.npz")
    assert demos.episodes == 6
    assert demos.feature_names == ("angle", "angle_velocity")
    first = demos.observations[0]
    assert np.isclose(first[0], -0.87, atol=1e-4), "degrees became radians"
    assert "arm.npz fits my_robot:make_arm" in capsys.readouterr().out
    if "train" not in left_out:
        run_script(folder / "act.py")
        assert "angle at the end" in capsys.readouterr().out
