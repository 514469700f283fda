"""A planner is taken where it fits, and told why where it does not."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.core.errors import DepoError
from depo.data import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import TASKS
from depo.models.card import Origin
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.planners import planner_folder, vector_planner
from depo.runs.training import begin
from tests.environments import point
from tests.environments.point import ID
from tests.support.small_jobs import job


def saved(folder: Path, planner, **origin) -> Path:
    return depo.save_planner(folder, planner, Origin(environment="elsewhere", **origin))


def gaussian(mean, scale) -> depo.GaussianPlanner:
    normaliser = depo.Normaliser(jnp.array(mean, jnp.float32), jnp.array(scale, jnp.float32))
    return depo.GaussianPlanner(jax.random.key(0), normaliser, (8,))


def test_a_run_whose_method_has_no_planner_says_so(tmp_path: Path) -> None:
    for method, said in (("bco", "by 'bco', which has no planner"), ("depo-supervised", "finish")):
        folder = begin(job("compiled", tmp_path, method), tmp_path / method).path
        (folder / CHECKPOINTS).mkdir(exist_ok=True)
        with pytest.raises(DepoError, match=said):
            planner_folder(str(folder), 0)


def test_a_planner_that_does_not_fit_is_told_why(tmp_path: Path) -> None:
    here = GymnasiumEnvironment(ID)
    three = saved(tmp_path / "three", gaussian([0, 0, 0], [1, 1, 1]))
    with pytest.raises(DepoError, match=r"sees 3-dimensional states .elsewhere.*2-dimensional"):
        vector_planner(three, here, None)
    finite = saved(tmp_path / "finite", depo.CategoricalPlanner(jax.random.key(0), 5, (8,)))
    with pytest.raises(DepoError, match=r"5 finite states .elsewhere.*2-dimensional vectors"):
        vector_planner(finite, here, None)
    far = saved(tmp_path / "far", gaussian([5000, 0], [1, 1]), features=("mm", "y"))
    with pytest.raises(DepoError, match=r"knows feature mm as 5e.03 ± 1 .elsewhere.*other units"):
        vector_planner(far, here, None)
    half = saved(tmp_path / "half", gaussian([0, 0], [1, 2]), features=("x",))
    with pytest.raises(DepoError, match="names 1 of its 2 features"):
        vector_planner(half, here, None)
    named = saved(tmp_path / "named", gaussian([0, 0], [1, 2]), features=("x", "y"))
    assert vector_planner(named, here, None).predicts == (0, 1)
    turned = Demonstrations.from_episodes([np.zeros((3, 2))], feature_names=("y", "x"))
    with pytest.raises(DepoError, match=r"calls feature 0 'x' .elsewhere., the demonstrations 'y'"):
        vector_planner(named, here, turned)
    shifted = Demonstrations.from_episodes([np.full((3, 2), 30.0)])
    with pytest.raises(DepoError, match="the demonstrations' mean has 30: other units"):
        vector_planner(named, here, shifted)
    plain = saved(tmp_path / "plain", gaussian([0, 0], [1, 1]))  # saw states as they were
    assert vector_planner(plain, here, shifted).predicts == (0, 1)


@pytest.mark.parametrize(
    ("theirs", "ours"), [("walker2d", "HalfCheetah"), ("half-cheetah", "Walker2d")]
)
def test_a_planner_of_another_body_with_as_many_features_is_refused(
    tmp_path: Path, theirs: str, ours: str
) -> None:
    origin = Origin(environment=f"{TASKS[theirs][0].lower()}-inverted")
    folder = depo.save_planner(tmp_path / "planner", gaussian([0] * 17, [1] * 17), origin)
    with pytest.raises(DepoError, match=f"for the states of {theirs}.* {ours}-v5 mean other"):
        vector_planner(folder, GymnasiumEnvironment(f"{ours}-v5"), None)
    at_home = GymnasiumEnvironment(TASKS[theirs][0])
    assert vector_planner(folder, at_home, None).predicts == tuple(range(17))


def test_names_that_are_too_few_are_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(point.Point, "metadata", {"feature_names": ("x", "y", "z")})
    with pytest.raises(DepoError, match="names 3 features in its metadata, its states have 2"):
        GymnasiumEnvironment(ID).feature_names()
    monkeypatch.setattr(point.Point, "metadata", {"feature_names": ("x", "y")})
    assert GymnasiumEnvironment(ID, remember=True).feature_names() == ("x", "y")
    named = saved(tmp_path / "named", gaussian([0, 0], [1, 2]), features=("x", "y", "z"))
    with pytest.raises(DepoError, match=r"names 3 features .elsewhere.*a name for each"):
        vector_planner(named, GymnasiumEnvironment(ID), None)
