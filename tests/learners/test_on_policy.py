"""Every method on a world so small that the right answer is known."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from depo.core.weights import digest
from depo.environments.grid.exact import ExactEvaluator
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.environments.grid.table import tabular_gridworld
from depo.evaluation.tables import policy_tables, split_seeds
from depo.learners.on_policy import CompiledLearner
from depo.methods.presets import preset_settings
from depo.methods.registry import ON_POLICY, find_method

WORLD = GridWorld(GridWorldSettings(size=3, horizon=8))


SEEDS = (0, 1)


def learn(method: str, steps: int = 2_560, world: GridWorld = WORLD, planners=None, **changes):
    small = {"hidden": 64, "evaluate_every": 5}
    settings = preset_settings(method, "fast", changes=small | changes)
    build = find_method(method).implementation(ON_POLICY).build
    environment, demos = tabular_gridworld(world), world.demonstrations(10)
    learner = CompiledLearner(
        environment, method=build(settings), expert=demos.transitions(), steps=steps
    )
    state = learner.init(SEEDS, planners)
    learner.synchronise(state, 0)
    for _ in range(learner.iterations // settings.saving.evaluate_every):
        state, metrics = learner.advance(state)
    assert all(np.isfinite(value).all() for value in metrics.values())
    tables = split_seeds(policy_tables(learner.stacked_policy(state), world.states))
    evaluate = ExactEvaluator(world, environment, demos, settings.learning.gamma)
    return state, [evaluate.of_table(table) for table in tables], metrics


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
