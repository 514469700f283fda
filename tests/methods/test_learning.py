"""Every method on a world so small that the right answer is known."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.environments.gridworld import GridWorld, GridWorldSettings
from depo.environments.tabular import tabular_gridworld
from depo.evaluation.exact import ExactEvaluator
from depo.evaluation.tables import policy_tables, split_seeds
from depo.learners.on_policy import CompiledLearner
from depo.methods.on_policy import make_method
from depo.presets import preset_settings
from depo.weights import digest

WORLD = GridWorld(GridWorldSettings(size=3, horizon=8))
SEEDS = (0, 1)


def learn(method: str, steps: int = 2_560, world: GridWorld = WORLD, planners=None, **changes):
    small = {"hidden": 64, "evaluate_every": 5}
    settings = dataclasses.replace(preset_settings(method, "fast"), **(small | changes))
    environment, demos = tabular_gridworld(world), world.demonstrations(10)
    learner = CompiledLearner(
        environment, method=make_method(settings), expert=demos.transitions(), steps=steps
    )
    state = learner.init(SEEDS, planners)
    learner.synchronise(state, 0)
    for _ in range(learner.iterations // settings.evaluate_every):
        state, metrics = learner.advance(state)
    assert all(np.isfinite(value).all() for value in metrics.values())
    tables = split_seeds(policy_tables(learner.policies(state), world.states))
    evaluate = ExactEvaluator(world, environment, demos, settings.gamma)
    return state, [evaluate(table) for table in tables], metrics


def test_depo_imitates_and_its_planner_transfers_unchanged() -> None:
    state, scores, metrics = learn("depo", 5_120)
    for score in scores:
        assert score["success"] > 0.97
        assert score["success_greedy"] == 1.0
        assert score["legal_moving_demonstrated"] == 1.0
        assert score["legal_moving_undemonstrated"] >= 0.75
        assert score["divergence"] < 0.05
    assert (metrics["plan_reached"] > 0.8).all()
    planners = state.agent["planner"].model
    before = digest(planners)
    more_actions = GridWorld(GridWorldSettings(size=3, horizon=8, k=3))
    transferred, scores, _ = learn("transfer", 1_280, more_actions, planners)
    assert min(score["success"] for score in scores) > 0.97
    assert digest(transferred.agent["planner"].model) == before


def test_agnostic_learns_to_act_but_not_to_plan() -> None:
    _, scores, _ = learn("depo-agnostic", 5_120)
    for score in scores:
        assert score["success"] > 0.9
        assert score["legal_moving_undemonstrated"] <= 0.5


@pytest.mark.slow
def test_calibrated_plans_legally() -> None:
    _, scores, _ = learn("depo-calibrated", 5_120)
    for score in scores:
        assert score["success"] > 0.9
        assert score["legal_moving_demonstrated"] == 1.0


@pytest.mark.slow
def test_supervised_follows_the_expert_on_its_path() -> None:
    _, scores, _ = learn("depo-supervised")
    for score in scores:
        assert score["legal_moving_demonstrated"] == 1.0
        assert score["divergence"] < 0.02


def test_bco_follows_the_expert_on_its_path() -> None:
    _, scores, _ = learn("bco")
    assert max(score["divergence"] for score in scores) < 0.05


@pytest.mark.parametrize("method", ["gaifo", pytest.param("ppo", marks=pytest.mark.slow)])
def test_actor_critics_reach_the_goal(method: str) -> None:
    _, scores, _ = learn(method, 5_120)
    assert min(score["success"] for score in scores) > 0.95


@pytest.mark.parametrize("gradient", ["straight-through", "score-function"])
@pytest.mark.slow
def test_the_other_gradient_estimators_learn_too(gradient: str) -> None:
    _, scores, _ = learn("depo", 5_120, gradient=gradient)
    assert np.mean([score["success"] for score in scores]) > 0.8


@pytest.mark.slow
def test_seeds_differ_and_a_seed_alone_repeats_itself() -> None:
    first, _, _ = learn("bco", 640)
    again, _, _ = learn("bco", 640)
    assert digest(first) == digest(again)
    actor = first.agent["actor"].model
    one, two = (digest(jax.tree.map(lambda x, i=i: x[i], actor)) for i in (0, 1))
    assert one != two


def test_held_out_transitions_are_never_trained_on() -> None:
    from depo.methods.on_policy.experience import HELD_OUT, Memory, Rollout

    n = 50
    index = jnp.arange(n, dtype=jnp.int32).reshape(n, 1)
    flags = jnp.zeros((n, 1), bool)
    rollout = Rollout(index, index, index, index, jnp.zeros((n, 1)), flags, flags)
    memory = Memory.empty(3 * n).add(rollout)
    assert int(memory.size) == n
    trained = set(np.asarray(memory.sample(jax.random.key(0), (5_000,)).state).tolist())
    held = set(np.asarray(memory.sample_held_out(jax.random.key(1), (5_000,)).state).tolist())
    assert held == {i for i in range(n) if i % HELD_OUT == HELD_OUT - 1}
    assert trained == set(range(n)) - held
