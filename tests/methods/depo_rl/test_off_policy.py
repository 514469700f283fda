"""Where the best return is known: walk to a line and stay there."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.data import Demonstrations
from depo.data.replay import Replay
from depo.models.card import read_origin
from depo.runs.training import begin
from tests.environments.point import ID, STEP
from tests.support.arguments import flat
from tests.support.runs import best_return, train
from tests.support.settings import SMALL


def test_a_decoupled_policy_learns_from_reward_alone(tmp_path: Path) -> None:
    settings = {**SMALL, "skill_hidden": 32, "skill_rate": 3e-3, "planner_rate": 3e-3}
    changes = {**settings, "critic_rate": 3e-3}
    run = depo.train("depo-rl", env=ID, steps=2_500, out=tmp_path / "run", **flat(**changes))
    last = run.metrics()[-1]
    assert last["return"] > 4 * best_return()  # doing nothing is worth 40 × 0.5
    assert last["reach_error_relative"] < 0.1
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    high = jnp.array([[x, 0.8] for x in np.linspace(-1, 1, 9)], jnp.float32)
    planned = np.asarray(planner.mode(high) - high)
    assert (planned[:, 1] < -0.6 * STEP).all()  # down to the line, and no faster than possible
    assert (planned[:, 1] > -1.3 * STEP).all()


@pytest.mark.slow
def test_without_demonstrations_the_first_steps_say_how_to_standardise(tmp_path: Path) -> None:
    small = {**SMALL, "skill_hidden": 32, "steps": 1_000, "evaluate_every": 2}
    whole = depo.train(
        "depo-rl", env=ID, out=tmp_path / "whole", **flat(skill_memory=True, **small)
    )
    stopped = begin(whole.job, tmp_path / "stopped")

    def kill(evaluation: depo.Evaluation) -> None:
        if evaluation.steps == 600:  # the first update was at 400, a checkpoint of it at 400
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        depo.resume(stopped.path, callbacks=[depo.Call(kill)])
    depo.resume(stopped.path)
    assert (stopped.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert stopped.latest()[0].read_bytes() == whole.latest()[0].read_bytes()
    replay = Replay(10_000, states=4, actions=2)
    replay.load(whole.path / "replay" / "seed-0", 1_000)
    first = replay.newest(1_000).state[:400]
    planner = depo.load_planner(whole.path / "planner" / "seed-0")
    skill = depo.load_skill(whole.path / "skill" / "seed-0")
    np.testing.assert_allclose(planner.normaliser.mean, first[:, :2].mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(skill.normaliser.scale, first.std(axis=0), rtol=1e-5)
    assert read_origin(whole.path / "planner" / "seed-0").features == ("s0", "s1")


def test_demonstrations_only_standardise_where_reward_is_learned_from(tmp_path: Path) -> None:
    small = {
        **SMALL,
        "skill_hidden": 32,
        "steps": 100,
        "random_steps": 50,
        "evaluate_every": 1,
        "demo_episodes": 6,
    }
    run = train("depo-rl", tmp_path, **small)
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    states = Demonstrations.load(tmp_path / "demos.npz").transitions()[0]
    np.testing.assert_allclose(planner.normaliser.mean, states.mean(axis=0), atol=1e-5)
