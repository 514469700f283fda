"""Training by the command line: an expert, its recording, imitation, evaluation, films."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from depo.api import make_job
from depo.cli.training_form import parse_job
from depo.data import Demonstrations
from depo.runs.run import Run
from depo.runs.training import begin
from tests.environments.point import ID, straight_demonstrations
from tests.support.command import call

PACE = ["--minibatch", "32", "--batch-steps", "40", "--random-steps", "80"]
PACE += ["--evaluate-every", "3", "--steps", "240"]
SMALL = ["--hidden", "16", *PACE]


@pytest.mark.slow
def test_an_expert_is_trained_recorded_and_imitated(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("train", "sac", "--env", "hopper", *SMALL, "--out", "expert") == 0
    assert call("demos", "record", "expert", "hops.npz", "--episodes", "5") == 0
    demos = Demonstrations.load("hops.npz")
    assert demos.episodes == 5
    assert demos.dimension == 11
    assert demos.actions is None
    assert demos.metadata["environment"] == "Hopper-v5"
    imitate = ["train", "depo", "--env", "hopper", "--demos", "hops.npz", *SMALL]
    assert call(*imitate, "--skill-hidden", "16", "--out", "mine") == 0
    capsys.readouterr()
    assert call("evaluate", "mine", "--episodes", "3", "--video", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["scores"][0]["episodes"] == 3
    assert {"return_relative", "reach_error_raw", "skill_error"} <= set(answer["scores"][0])
    assert Path(answer["films"][0]).stat().st_size > 1_000
    assert (Path("mine") / "figures" / "run.png").exists()
    other = ["--env", "hopper", "--dynamics", "mixed,gravity=0.8", *PACE]  # critics are not learned
    monkeypatch.setattr("depo.cli.training.KEPT", np.inf)  # any share is too little
    assert call("transfer", "mine", *other) == 0
    run = "runs/transfer-hopper-v5-mixed-gravity=0.8-1"
    scores = Run.open(run).final_scores()[0]
    assert scores["planner_unchanged"] == 1.0
    shown = capsys.readouterr().out
    assert f"{scores['return_kept']:.4g}" in shown
    assert f"depo reachability {run} --seed 0" in shown
    assert "of the planner's return first after: " in shown


def test_a_preset_depends_on_the_task_and_a_flag_beats_it() -> None:
    def settings(*flags: str):
        return parse_job("depo", ["--env", "half-cheetah", *flags], "depo", "").job.settings

    assert settings("--preset", "paper").discriminator.gradient_penalty == 0.5
    assert (
        settings("--preset", "paper", "--gradient-penalty", "3").discriminator.gradient_penalty
        == 3.0
    )
    assert settings("--preset", "paper").collection.replay == 20_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "depo", "--env", "walker2d", "--demos", "two.npz"), "2-dimensional states"),
        (("train", "depo", "--env", "Ant-v5", "--demos", "two.npz"), "--env ant"),
        (("train", "ppo", "--env", "Acrobot-v1"), "off-policy"),
        (("train", "ppo", "--env", "hopper"), "off-policy"),
        (("train", "depo", "--env", "Pendulum-v1"), "no demonstrations for Pendulum-v1"),
        (("train", "depo", "--env", "no_module:X-v0"), "cannot import 'no_module'"),
        (("train", "sac", "--env", "hopper", "--skill", "none"), "sac has no skill of its own"),
        (("train", "bco", "--skill", "none"), "none is not a skill folder"),
        (("train", "depo", "--patience", "-1"), "--patience -1 is negative"),
        (("train", "depo", "--patience", "2", "--workers", "2"), "seeds that learn together"),
        (("demos", "record", "none", "x.npz"), "not a run"),
        (("train", "sac", "--env", "hopper", "--dynamics", "invertd"), "did you mean 'inverted'"),
        (("train", "sac", "--env", "Pendulum-v1", "--dynamics", "mass=2"), "MuJoCo model"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    straight_demonstrations(Path("two.npz"))
    assert call(*arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("depo: ")  # and nothing begins before it
    assert "Traceback" not in error
    assert not Path("runs").exists()


def test_other_peoples_recordings_fit_their_tasks(tmp_path: Path) -> None:
    shared = Path(__file__).parents[3] / "shared" / "demos"
    if not shared.exists():
        pytest.skip("no recordings beside the project: ../shared/demos is absent")
    for task, file in [("ant", "ant_27d"), ("humanoid", "humanoid_45d"), ("hopper", "hopper_td3")]:
        job = make_job(
            "depo",
            env=task,
            demos=shared / f"{file}.npz",
            overrides={"replay": 100, "skill_replay": 100},
        )
        assert begin(job, tmp_path / task).status() == "stopped"


def test_third_party_environments_need_only_their_name(tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    out = tmp_path / "run"
    assert call("train", "bco", "--env", ID, "--demos", demos, *SMALL, "--out", out) == 0


def test_patience_ends_what_does_not_improve(tmp_path: Path, capsys) -> None:
    still = ["--planner-rate", "0", "--skill-rate", "0", "--size", "3", "--hidden", "8"]
    pace = ["--batch-steps", "64", "--evaluate-every", "1", "--checkpoint-every", "1"]
    out = str(tmp_path / "run")
    asked = ["depo-supervised", *still, *pace, "--steps", "640", "--patience", "2", "--out", out]
    assert call("train", *asked) == 0
    assert "is no better than" in capsys.readouterr().out
    run = Run.open(out)
    assert (run.status(), run.steps_done()) == ("stopped", 3 * 64)
