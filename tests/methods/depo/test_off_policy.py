"""Where the answer is known: s' = s + a/10, an expert that walks right."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.core.weights import digest
from depo.data.replay import Replay
from depo.data.transitions import Transitions
from depo.methods.depo import OffPolicyDePO
from depo.methods.depo.off_policy import DePOMethod
from depo.methods.off_policy.method import Shape
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import with_values
from depo.models.normaliser import Normaliser
from depo.models.scalar import Scalar
from tests.environments.point import STEP
from tests.support.runs import train
from tests.support.settings import SKILL


@pytest.mark.parametrize(
    "more",
    [
        {},  # the recipe; demonstrations for the critics are of the preset before it
        pytest.param(
            {"preset": "v0.1", "demo_share": 0.5, "sample_plans": False}, marks=pytest.mark.slow
        ),
    ],
)
def test_decoupled_policy_optimisation_walks_as_the_expert(more: dict, tmp_path: Path) -> None:
    anchored = {"calibration": 1.0, "supervision": 1.0, "planner_rate": 1e-3}
    run = train("depo", tmp_path, steps=3_000, **SKILL, **anchored, **more)
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    states = jnp.array(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), jnp.float32)
    planned = np.asarray(planner.mode(states) - states).mean(axis=0)
    np.testing.assert_allclose(planned, [STEP / 2, 0.0], atol=0.03)
    assert run.metrics()[-1]["reach_error_relative"] < 0.3


TINY = {"hidden": 8, "skill_hidden": 8, "discriminator_hidden": 8}


def decoupled(normaliser: Normaliser, **changes) -> tuple[DePOMethod, dict]:
    """A DePO agent of tiny networks between states of two numbers."""
    method = DePOMethod(with_values(OffPolicyDePO(), TINY | changes))
    shape = Shape(normaliser, 2, normaliser, (0, 1))
    return method, eqx.filter_jit(method.init)(jax.random.key(0), shape)


def transitions(size: int, seed: int) -> Transitions:
    state, action, next_state = jax.random.normal(jax.random.key(seed), (3, size, 2))
    return Transitions(state, jnp.tanh(action), next_state, jnp.ones(size), jnp.ones(size) > 0)


def test_critics_learn_from_demonstrations_with_the_actions_the_skill_would_take() -> None:
    method, agent = decoupled(Normaliser.none(2), demo_share=0.5, reward_centre=0.1)
    agent["centre"] = Trained(Scalar(jnp.asarray(0.25)), None)
    batch, expert = transitions(8, 1), transitions(20, 2)
    pairs = (expert.state, expert.next_state)
    both, reward = method.with_demonstrations(
        agent, batch, jnp.arange(8.0), pairs, jax.random.key(3)
    )
    np.testing.assert_array_equal(both.action[:8], batch.action)
    np.testing.assert_array_equal(reward[:8], jnp.arange(8.0))
    assert both.state.shape == (12, 2)
    assert not both.terminated[8:].any()  # the expert goes on
    shown = both.state[8:], both.next_state[8:]
    row = [int(np.flatnonzero((expert.state == s).all(axis=1))[0]) for s in shown[0]]
    np.testing.assert_array_equal(shown[1], expert.next_state[np.array(row)])
    np.testing.assert_allclose(both.action[8:], agent["skill"].model.mode(*shown), atol=1e-6)
    logit = agent["discriminator"].model(*shown)
    np.testing.assert_allclose(reward[8:], 0.2 * logit - 0.25, atol=1e-6)


def test_without_sampling_plans_are_means_and_their_deviation_feels_no_critic() -> None:
    batch, key = transitions(16, 1), jax.random.key(5)
    steepness = {}
    for sample in (True, False):
        method, agent = decoupled(Normaliser.none(2), sample_plans=sample)
        policy = method.policy(agent)
        is_mean = np.array_equal(
            policy.sample(batch.state, key).plan, policy.planner.mode(batch.state)
        )
        assert is_mean == (not sample)

        def loss(planner, method=method, agent=agent) -> jax.Array:
            plan = planner.distribution(batch.state)
            return method.follow_critics(planner, plan, agent, batch, jnp.zeros(16), key)[0]

        last = eqx.filter_jit(eqx.filter_grad(loss))(agent["planner"].model).network.weights[-1]
        steepness[sample] = float(jnp.abs(last[:, 2:]).max())  # the half that gives log-std
        assert float(jnp.abs(last[:, :2]).max()) > 0
    assert steepness[False] == 0 < steepness[True]


def test_the_planners_gradient_leaves_the_skill_alone() -> None:
    method, agent = decoupled(Normaliser.none(2), skill_rate=0.0)
    rows = jax.random.normal(jax.random.key(1), (3, 16, 2))
    batch = Transitions(*rows, jnp.zeros(16), jnp.zeros(16, bool))
    pairs, key = (rows[0], rows[2]), jax.random.key(2)
    after, _ = eqx.filter_jit(method.update)(agent, batch, batch, pairs, key)
    changed = {name for name in agent if digest(after[name].model) != digest(agent[name].model)}
    assert {"planner", "critic", "discriminator"} <= changed
    assert "skill" not in changed


def test_units_grow_to_what_the_first_steps_move(tmp_path: Path) -> None:
    small = {**SKILL, "steps": 200, "random_steps": 100, "evaluate_every": 1, "demo_episodes": 2}
    units = {"step_units": True, "wide_units": True, "clip_states": 0.5}
    run = train("depo", tmp_path, **small, **units)
    replay = Replay(1_000, states=2, actions=2)
    replay.load(run.path / "replay" / "seed-0", 200)
    first = Transitions(*(column[:100] for column in replay.newest(200)))
    planner = depo.load_planner(run.path / "planner" / "seed-0").normaliser
    skill = depo.load_skill(run.path / "skill" / "seed-0").normaliser
    np.testing.assert_array_equal(planner.step, skill.step)
    moved = np.sqrt(np.mean((first.next_state - first.state) ** 2, axis=0))
    shown, following = depo.Demonstrations.load(tmp_path / "demos.npz").transitions()
    assert np.abs((following - shown)[:, 1]).max() < 1e-6  # the expert only walks right
    np.testing.assert_allclose(planner.step[1] * planner.scale[1], moved[1], rtol=1e-4)
    other = train("depo", tmp_path / "own", **small, **units, skill=run.path / "skill" / "seed-0")
    kept = depo.load_skill(other.path / "skill" / "seed-0").normaliser
    np.testing.assert_array_equal(kept.scale, skill.scale)
