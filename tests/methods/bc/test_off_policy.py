"""The expert walks right, half a step each time: so does a clone of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.data import Demonstrations
from tests.environments.point import ID
from tests.support.arguments import flat
from tests.support.runs import resumes_exactly, train
from tests.support.settings import IMITATION, SHORT

QUICK = {**IMITATION, "random_steps": 50, "batch_steps": 50, "actor_rate": 3e-3}


@pytest.mark.parametrize("loss", ["squared", pytest.param("likelihood", marks=pytest.mark.slow)])
def test_a_clone_does_what_was_recorded(loss: str, tmp_path: Path) -> None:
    run = train("bc", tmp_path, steps=500, clone_loss=loss, **QUICK)
    states = np.random.default_rng(1).uniform(-1, 1, (50, 2))
    np.testing.assert_allclose(run.policy().act(states), [[0.5, 0.0]] * 50, atol=0.12)
    assert run.metrics()[-1]["env_steps"] == 500  # taken, and counted


@pytest.mark.slow
def test_a_clone_resumes_exactly(tmp_path: Path) -> None:
    short = {**QUICK, **SHORT, "random_steps": 50}
    assert resumes_exactly("bc", tmp_path, **short)


def test_demonstrations_without_actions_are_refused_in_a_sentence(tmp_path: Path) -> None:
    demos = Demonstrations.from_episodes([np.zeros((5, 2)) + np.arange(5)[:, None]])
    for method in ("bc", "gail", "airl"):
        with pytest.raises(depo.DepoError, match=rf"{method} imitates actions and these .* none"):
            depo.train(method, env=ID, demos=demos, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_actions_of_other_dynamics_are_refused(tmp_path: Path) -> None:
    states = np.zeros((5, 2)) + np.arange(5)[:, None]
    demos = Demonstrations(
        states, np.array([5]), actions=np.zeros((5, 2)), metadata={"dynamics": "inverted"}
    )
    with pytest.raises(depo.DepoError, match="recorded under the dynamics 'inverted'"):
        depo.train("bc", env=ID, demos=demos, out=tmp_path / "run", **flat(**QUICK))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bc", "gail", "airl"])
def test_the_recipe_knows_actions_too(method: str, tmp_path: Path) -> None:
    short = {"minibatch": 32, "batch_steps": 50, "random_steps": 100, "evaluate_every": 2}
    run = train(method, tmp_path, preset="recipe", steps=200, **short)
    assert np.isfinite(run.metrics()[-1]["return"])
