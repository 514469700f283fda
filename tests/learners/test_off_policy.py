"""Every method that learns from a replay, as a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.analysis.evaluate import load_policies
from depo.methods.registry import OFF_POLICY, find_method, trainable
from depo.models.policy import DecoupledPolicy
from depo.runs.run import Run
from depo.runs.training import begin
from tests.environments.point import ID, straight_demonstrations
from tests.support.arguments import flat
from tests.support.runs import train
from tests.support.settings import IMITATION, SKILL, SMALL

QUICKLY = ("gaifo-dp", "bco")
"""Methods whose short run is always tested; the others' are slow tests."""


@pytest.mark.parametrize(
    ("method", "preset"),
    [
        *(
            pytest.param(name, "fast", marks=() if name in QUICKLY else pytest.mark.slow)
            for name, spec in trainable().items()
            if OFF_POLICY in spec.implementations
            and name not in ("sac", "depo")
            and not spec.takes_reward
            and not spec.needs_controllers
        ),
        ("depo", "paper"),
    ],
)
def test_every_method_runs_scores_and_can_be_evaluated(
    method: str, preset: str, tmp_path: Path
) -> None:
    changes: dict[str, object] = {**IMITATION, "random_steps": 100, "batch_steps": 50}
    spec = find_method(method)
    if spec.has_skill:
        changes |= {"skill_hidden": 32}
    if preset == "paper":
        changes |= {"first_fit_passes": 2, "refit_passes": 2}
    run = train(method, tmp_path, steps=500, preset=preset, seeds=2, **changes)
    rows = run.final_scores()
    assert [row["seed"] for row in rows] == [0, 1]
    assert rows[0]["return"] != rows[1]["return"]
    again = depo.evaluate(run.path, episodes=3)
    assert [row["env_steps"] for row in again] == [500, 500]
    acts_by_plans = isinstance(load_policies(run)[0], DecoupledPolicy)
    assert ("reach_error" in rows[0]) == acts_by_plans
    assert (run.path / "planner" / "seed-1").exists() == ("planner" in spec.exports)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["imo", "qss", "qss-gaifo", "sail", "gsp"])
def test_a_run_that_is_stopped_goes_on_exactly(method: str, tmp_path: Path) -> None:
    short = {**IMITATION, "random_steps": 100, "batch_steps": 50, "evaluate_every": 2}
    whole = train(method, tmp_path, steps=500, **short)
    stopped = begin(whole.job, tmp_path / "stopped")

    def kill(evaluation: depo.Evaluation) -> None:
        if evaluation.steps == 300:  # a checkpoint was at 200
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        depo.resume(stopped.path, callbacks=[depo.Call(kill)])
    depo.resume(stopped.path)
    assert (stopped.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert stopped.latest()[0].read_bytes() == whole.latest()[0].read_bytes()


def test_seeds_that_learn_at_once_learn_what_each_learns_alone(tmp_path: Path) -> None:
    short = {**IMITATION, "steps": 400, "random_steps": 100, "batch_steps": 50}
    both = train("gaifo", tmp_path / "both", seeds=2, **short).metrics()
    alone = train("gaifo", tmp_path / "alone", seed=1, **short).metrics()
    np.testing.assert_equal([row for row in both if row["seed"] == 1], alone)


@pytest.mark.slow
def test_a_skill_with_memory_and_a_skill_given(tmp_path: Path) -> None:
    small = {**SKILL, "steps": 500, "random_steps": 100, "batch_steps": 50}
    first = train("depo", tmp_path, skill_memory=True, **small)
    skill = depo.load_skill(first.path / "skill" / "seed-0")
    planner = depo.load_planner(first.path / "planner" / "seed-0")
    assert skill.normaliser.mean.shape == (4,)
    assert planner.normaliser.mean.shape == (2,)
    second = depo.train(
        "depo-supervised",
        env=ID,
        demos=tmp_path / "demos.npz",
        out=tmp_path / "second",
        skill=first.path / "skill" / "seed-0",
        **flat(skill_memory=True, **{**small, "skill_rate": 0.0}),
    )
    kept = depo.load_skill(second.path / "skill" / "seed-0")
    for old, new in zip(skill.network.weights, kept.network.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    with pytest.raises(depo.DepoError, match="set --hidden"):
        depo.train(
            "depo-supervised",
            env=ID,
            demos=tmp_path / "demos.npz",
            out=tmp_path / "third",
            skill=first.path / "skill" / "seed-0",
            **flat(**small),
        )


def test_the_kept_policy_is_an_average_of_the_trained_one(tmp_path: Path) -> None:
    quick = {**SMALL, "steps": 500, "random_steps": 400, "evaluate_every": 1}
    kept = {}
    for average in (0.0, 0.01):
        demos = straight_demonstrations(tmp_path / "demos.npz")
        changes = {**quick, "average": average}
        run = depo.train(
            "gaifo", env=ID, demos=demos, out=tmp_path / str(average), **flat(**changes)
        )
        agent = load_policies(run)[0].network.weights[0]
        kept[average] = np.asarray(agent)
    start = load_policies(begun(tmp_path / "0.0", tmp_path / "start"))[0].network.weights[0]
    moved = np.abs(kept[0.0] - start).sum()
    lagging = np.abs(kept[0.01] - start).sum()
    assert 0 < lagging < moved


def begun(run: Path, folder: Path) -> Run:
    """A run like another, with nothing learned yet."""
    return begin(Run.open(run).job, folder)
