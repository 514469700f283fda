"""Where the answer is known: s' = s + a/10, an expert that walks right."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np

import depo
from tests.environments.point import STEP
from tests.support.runs import train
from tests.support.settings import SKILL


def test_supervised_planning_and_a_skill_find_the_exact_answers(tmp_path: Path) -> None:
    run = train("depo-supervised", tmp_path, steps=2_000, **SKILL, planner_rate=3e-3)
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    skill = depo.load_skill(run.path / "skill" / "seed-0")
    states = jnp.array(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), jnp.float32)
    planned = np.asarray(planner.mode(states) - states)
    np.testing.assert_allclose(planned, np.tile([STEP / 2, 0.0], (50, 1)), atol=0.02)
    action = np.random.default_rng(2).uniform(-0.7, 0.7, (50, 2))
    found = skill.mode(states, jnp.array(states + STEP * action, jnp.float32))
    np.testing.assert_allclose(found, action, atol=0.15)
    last = run.metrics()[-1]
    assert last["reach_error_relative"] < 0.1
    assert last["skill_error"] < 0.02
