from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job
from depo.cli.flags import parse_job
from depo.cli.main import COMMANDS, main
from depo.demos import Demonstrations
from depo.environments.dynamics import VARIANTS
from depo.runs.training import begin

SMALL = ["--size", "3", "--hidden", "32", "--batch-steps", "64"]


def call(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    return int(stop.value.code or 0)


def process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "depo", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_of_every_command_teaches(capsys) -> None:
    assert call("--help") == 0
    assert "A first session" in capsys.readouterr().out
    for name in COMMANDS:
        assert call(name, "--help") == 0
        assert "usage" in (out := capsys.readouterr().out).lower() or f"depo {name}" in out


def test_help_of_transfer_names_every_dynamics_and_wants_a_planner_for_flags(capsys) -> None:
    assert call("transfer", "--help") == 0
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown for name in VARIANTS)
    assert call("transfer", "no-such-planner", "--help") == 0
    assert capsys.readouterr().out == shown
    assert call("transfer", "no-such-planner", "--env", "hopper", "--help") == 0
    assert "--unfreeze-after" in capsys.readouterr().out


def test_help_of_a_method_shows_the_presets_defaults(capsys) -> None:
    assert call("train", "depo", "--help") == 0
    fast = capsys.readouterr().out
    assert call("train", "depo", "--preset", "paper", "--help") == 0
    paper = capsys.readouterr().out
    assert "(default: 0.3)" in fast
    assert "straight-through)" in paper.replace("\n", "")


def test_starting_up_does_not_load_jax() -> None:
    script = (
        "import sys, depo.cli.train, depo.cli.transfer, depo.cli.demos, depo.cli.runs;"
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_an_explicit_flag_beats_the_preset() -> None:
    flags = ["--preset", "paper", "--calibration", "0.7", "--k", "2", "--walls", "1,1", "2,2:2,3"]
    job, _ = parse_job("depo", flags, "depo", "")
    assert job.settings.calibration == 0.7
    assert job.settings.gradient == "straight-through"
    assert job.environment.world.k == 2
    assert job.environment.world.walls == ("1,1", "2,2:2,3")
    plain, _ = parse_job("depo", ["--preset=paper"], "depo", "")
    assert plain.settings.calibration == 1.0
    assert plain.preset == "paper"


def test_of_a_repeated_flag_the_last_counts() -> None:
    flags = ["--env", "gridworld", "--env", "FrozenLake-v1", "--preset=fast", "--preset", "paper"]
    job, _ = parse_job("depo", flags, "depo", "")
    assert job.environment.world is None
    assert (job.preset, job.settings.calibration) == ("paper", 1.0)


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
        ("timing.csv", b"env_steps,seconds\n64,abc\n"),
        ("timing.csv", b"nothing\n1\n"),
    ],
)
def test_damaged_tables_do_not_hide_the_other_runs(
    tmp_path: Path, capsys, name: str, content: bytes
) -> None:
    for folder in ("whole", "damaged"):
        begin(make_job("bco", steps=128, size=3, hidden=8, batch_steps=64), tmp_path / folder)
    (tmp_path / "damaged" / name).write_bytes(content)
    assert call("runs", tmp_path, "--json") == 0
    damaged, whole = json.loads(capsys.readouterr().out)
    assert damaged["status"].startswith("damaged: ")
    assert name in damaged["status"]
    assert whole["status"] == "stopped"


def test_flags_that_are_not_understood_are_an_error_in_json_too(capsys) -> None:
    assert call("runs", "--fodler", "--json") == 2
    said = capsys.readouterr()
    assert "see stderr" in json.loads(said.out)["error"]
    assert "fodler" in said.err


def test_too_little_memory_is_said_in_a_sentence(monkeypatch, capsys) -> None:
    for error in (MemoryError(), RuntimeError("RESOURCE_EXHAUSTED: Out of memory")):

        def fail(_: list[str], error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr("depo.cli.runs.run", fail)
        assert call("runs", "--json") == 2
        said = capsys.readouterr()
        assert "not enough memory: lower --hidden" in json.loads(said.out)["error"]
        assert "Traceback" not in said.err


def test_seeds_are_counted_from_the_first() -> None:
    job, _ = parse_job("bco", ["--seed", "3", "--seeds", "2"], "depo", "")
    assert job.seeds == (3, 4)


def test_arguments_of_an_environment_are_json() -> None:
    flags = ["--env", "FrozenLake-v1", "--env-args", "map_name=8x8", "is_slippery=false"]
    job, _ = parse_job("bco", flags, "depo", "")
    assert dict(job.environment.arguments) == {"map_name": "8x8", "is_slippery": False}


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
        (["train", "depo", "--env", "FrozenLak-v1", "--demos", "gridworld"], "'FrozenLake-v1'"),
        (["train", "depo", "--env", "CartPole-v1", "--demos", "gridworld"], "takes a Box only"),
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
        (["train", "depo", "--skill-rate", "nan"], "skill_rate nan"),
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
    assert json.loads(capsys.readouterr().out)["scores"][0]["episodes"] == 3
    assert call("runs", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in listed] == ["finished", "finished"]
    assert call("runs") == 0
    assert "a b[/x]" in capsys.readouterr().out
    assert call("resume", "runs/a b[/x]", "--json") == 0


def test_the_shipped_list(capsys) -> None:
    assert call("demos", "list", "--json") == 0
    assert {row["name"] for row in json.loads(capsys.readouterr().out)} >= {"gridworld"}
