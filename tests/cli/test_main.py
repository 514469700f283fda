"""The command line as a whole: help, errors in one sentence, a session."""

from __future__ import annotations

import io
import json
import os
import resource
import statistics
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from depo.cli.main import COMMANDS
from depo.data import Demonstrations
from tests.support.command import call

SMALL = ["--size", "3", "--hidden", "32", "--batch-steps", "64"]


def process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "depo", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_of_every_command_teaches(capsys) -> None:
    assert call("--help") == 0
    assert "A first session" in capsys.readouterr().out
    for name in COMMANDS:
        assert call(name, "--help") == 0
        assert "usage" in (out := capsys.readouterr().out).lower() or f"depo {name}" in out


def test_a_terminal_of_another_encoding_is_no_obstacle() -> None:
    with io.TextIOWrapper(raw := io.BytesIO(), "ascii") as terminal, redirect_stdout(terminal):
        assert call("--help") == 0
        terminal.flush()
        assert b"depo report RUN? -o report.html" in raw.getvalue()


def test_starting_up_does_not_load_jax() -> None:
    script = (
        "import sys, contextlib, depo.cli.main as cli\n"
        "for words in (['--help'], ['train', '--help'], ['train', 'depo', '--help'],\n"
        "              ['transfer', 'X', '--env', 'driving', '--help'], ['demos', '--help'],\n"
        "              ['settings', 'depo', '--toml'], ['runs', '--help']):\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        cli.main(words)\n"
        "sys.exit('jax' in sys.modules)"
    )
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_help_is_there_in_half_a_second() -> None:
    """Of the processor's time: other work on the machine is not ours."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert process("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert statistics.median(seconds() for _ in range(5)) < 0.5


def test_flags_that_are_not_understood_are_an_error_in_json_too(capsys) -> None:
    assert call("runs", "--fodler", "--json") == 2
    said = capsys.readouterr()
    assert "did you mean '--json'" in json.loads(said.out)["error"]
    assert "unknown flag '--fodler'" in said.err
    assert call("runs", "a", "b", "--json") == 2  # which only the parser knows
    assert "see stderr" in json.loads(capsys.readouterr().out)["error"]


def test_too_little_memory_is_said_in_a_sentence(monkeypatch, capsys) -> None:
    for error in (MemoryError(), RuntimeError("RESOURCE_EXHAUSTED: Out of memory")):

        def fail(_: list[str], error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr("depo.cli.runs.run", fail)
        assert call("runs", "--json") == 2
        said = capsys.readouterr()
        assert "not enough memory: lower --hidden" in json.loads(said.out)["error"]
        assert "Traceback" not in said.err


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    np.savez(folder / "nan.npz", observations=np.full((4, 2), np.nan), episode_lengths=[2, 2])
    Demonstrations.from_episodes([np.zeros((3, 11))]).save(folder / "vectors.npz")
    (folder / "text.npz").write_text("no")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trian"], "did you mean 'train'"),
        (["train", "dpeo"], "did you mean 'depo'"),
        (["train", "--seeds", "2"], "give a method before the flags"),
        (["train", "depo", "--env", "hoper"], "did you mean 'hopper'"),
        (["train", "depo", "--calibratoin", "1"], "did you mean '--calibration'"),
        (["settings", "dpeo"], "did you mean 'depo'"),
        (["train", "depo", "--config", "BAD/text.npz"], "not readable TOML"),
        (["runs", "--config", "BAD/absent.toml"], "does not exist"),
        (["train", "depo", "--env", "FrozenLak-v1", "--demos", "gridworld"], "'FrozenLake-v1'"),
        (["train", "depo", "--env", "CartPole-v1", "--demos", "gridworld"], "finite states"),
        (["train", "depo", "--env", "FrozenLake-v1"], "pass --demos"),
        (["train", "depo", "--demos", "BAD/vectors.npz"], "11-dimensional vectors"),
        (["train", "depo", "--demos", "BAD/absent.npz"], "does not exist"),
        (["train", "depo", "--steps", "0"], "steps 0"),
        (["train", "depo", "--seeds", "0"], "seeds 0: it is how many"),
        (["train", "depo", "--seeds", "2000000000"], "seeds 2000000000: it is how many"),
        (["train", "depo", "--batch-steps", "8000000000"], "an evaluation comes every"),
        (["demos", "make", "."], "it is a folder, give a file"),
        (["train", "depo", "--hidden", "0"], "hidden 0 is not positive"),
        (["train", "depo", "--batch-steps", "-128"], "batch_steps -128"),
        (["train", "depo", "--skill-rate", "nan"], "--skill-rate nan is not a finite number"),
        (["train", "depo", "--steps", "1000000000000"], "steps 1000000000000"),
        (["train", "depo", "--out", "BAD/text.npz/x", "--steps", "128"], "cannot write"),
        (["reproduce", "fig2", "--workers", "-3"], "--workers -3"),
        (["train", "depo", "--walls", "9,9"], "outside the 6×6 map"),
        (["train", "depo", "--env", "FrozenLake-v1", "--env-args", "x"], "not NAME=VALUE"),
        (["transfer", "BAD/nowhere", "--k", "4"], "does not exist"),
        (["transfer", "BAD/empty", "--k", "4"], "not a planner folder"),
        (["resume", "BAD/empty"], "is not a run"),
        (["evaluate", "BAD/empty"], "is not a run"),
        (["runs", "BAD/nowhere"], "is not a folder"),
        (["demos", "info", "BAD/nan.npz"], "NaN or infinite"),
        (["demos", "info", "BAD/text.npz"], "not an .npz file"),
        (["demos", "info", "gridwrld"], "did you mean 'gridworld'"),
        (["demos", "lst"], "did you mean 'list'"),
        (["reproduce", "fig22"], "did you mean 'fig2'"),
        (["reproduce", "fig2", "--scal", "smoke"], "did you mean '--scale'"),
        (["evaluate", "RUN", "--episode=3"], "did you mean '--episodes'"),
        (["train", "depo", "--preset", "fats"], "did you mean 'fast'"),
        (["train", "depo", "--env", "hopper", "--dynamics", "inverte"], "did you mean 'inverted'"),
        (["train", "depo", "--workers", "-1"], "--workers -1 is negative"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_2(
    arguments: list[str], message: str, bad_files: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*(a.replace("BAD", str(bad_files)) for a in arguments)) == 2
    err = capsys.readouterr().err
    sentence = [line for line in err.splitlines() if line.startswith("depo: ")]
    assert len(sentence) == 1
    assert message in sentence[0]
    assert "Traceback" not in err
    assert not list(tmp_path.rglob("settings.json"))


def test_a_wrong_flag_exits_with_2_and_a_suggestion() -> None:
    done = process("train", "depo", "--calibratoin", "1")
    assert done.returncode == 2
    assert "--calibration" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_an_error_is_json_when_json_was_asked_for(capsys) -> None:
    assert call("runs", "nowhere-at-all", "--json") == 2
    assert "not a folder" in json.loads(capsys.readouterr().out)["error"]


def test_a_session(tmp_path: Path, monkeypatch, capsys) -> None:
    """train, transfer, evaluate, runs and demos, as a user would."""
    monkeypatch.chdir(tmp_path)
    assert call("demos", "make", "expert.npz", "--size", "3", "--episodes", "4") == 0
    assert call("demos", "info", "expert.npz", "--json") == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["episodes"] == 4
    # a folder with a space and with what a terminal might take for markup
    trained = ["train", "depo", "--steps", "192", "--demos", "expert.npz", "--out", "runs/a b[/x]"]
    assert call(*trained, *SMALL, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert Path(result["figure"]).exists()
    assert result["scores"][0]["env_steps"] == 192
    assert call("transfer", "runs/a b[/x]", "--k", "2", "--steps", "64", *SMALL) == 0
    assert "figure:" in capsys.readouterr().out
    assert call("evaluate", "runs/a b[/x]", "--episodes", "3", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["scores"][0]["episodes"] == 3
    assert 0 < result["yardstick"]["random"]["success"] < result["yardstick"]["expert"]["success"]
    assert call("runs", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in listed] == ["finished", "finished"]
    assert call("runs") == 0
    assert "a b[/x]" in capsys.readouterr().out
    assert call("resume", "runs/a b[/x]", "--json") == 0


@pytest.mark.parametrize("is_pipe", [False, True])
def test_settings_of_matplotlib_in_the_current_folder_run_nothing(
    is_pipe: bool, tmp_path: Path
) -> None:
    if is_pipe:  # which nobody writes to
        os.mkfifo(tmp_path / "matplotlibrc")
    else:
        (tmp_path / "matplotlibrc").write_text("text.usetex: True\nbackend: module://evil\n")
    code = (
        "import io; from depo.cli.main import main\n"
        "try:\n    main(['--version'])\n"
        "except SystemExit:\n    pass\n"
        "from matplotlib.figure import Figure\n"
        "figure = Figure(); figure.text(0, 0, 'x'); figure.savefig(io.BytesIO(), format='png')\n"
        "import matplotlib; assert 'evil' not in str(matplotlib.rcParams._get_backend_or_none())"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
