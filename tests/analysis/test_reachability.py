"""The reachability report where the answer is known: s' = s + a/10, |a| ≤ 1."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.analysis.forward import Fitted, best_choices, fit_forward
from depo.analysis.reach_on_grid import on_grid
from depo.analysis.reach_on_vectors import on_vectors
from depo.analysis.reach_report import Reachability
from depo.analysis.region import VisitedRegion
from depo.api import make_job
from depo.data import Demonstrations
from depo.data.replay import Replay, read_newest
from depo.data.transitions import Transitions
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.models.forward import Forward
from depo.models.mlp import MLP
from depo.runs.training import begin
from tests.environments.point import ID, STEP, straight_demonstrations, walking
from tests.support.arguments import flat
from tests.support.command import call

EXPERT = (STEP / 2, 0.0)


def exact(state, target):
    return jnp.clip((target - state) / STEP, -1.0, 1.0)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> tuple[Path, Demonstrations]:
    """Visited transitions with random actions, and the expert that walks right."""
    folder = tmp_path_factory.mktemp("point")
    rng = np.random.default_rng(0)
    state, action = rng.uniform(-1, 1, (2, 4_000, 2)).astype(np.float32)
    nothing = np.zeros(4_000, np.float32)
    replay = Replay(4_000, 2, 2)
    replay.add(Transitions(state, action, state + STEP * action, nothing, nothing.astype(bool)))
    replay.save(folder / "replay")
    return folder / "replay", Demonstrations.load(straight_demonstrations(folder / "d.npz"))


@pytest.fixture(scope="module", autouse=True)
def _one_model_of_the_same_transitions() -> Iterator[None]:
    """To fit it takes most of a report's time, and of the same rows comes the same."""
    known: dict[tuple[bytes, ...], Fitted] = {}

    def fitted(state: np.ndarray, action: np.ndarray, change: np.ndarray, seed: int) -> Fitted:
        rows = (*(x.tobytes() for x in (state, action, change)), bytes([seed]))
        if rows not in known:
            known[rows] = fit_forward(state, action, change, seed)
        return known[rows]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("depo.analysis.reach_on_vectors.fit_forward", fitted)
        yield


def report(world, move, formula) -> Reachability:
    replay, demos = world
    policy = depo.DecoupledPolicy(walking(move), depo.AnalyticSkill(formula))
    return on_vectors(policy, GymnasiumEnvironment(ID), episodes=2, replay=replay, demos=demos)


def test_an_exact_skill_and_the_experts_plan_leave_nothing_to_blame(world) -> None:
    found = report(world, EXPERT, exact)
    assert found.blame == "nobody"
    assert found.reach_error < 1e-10
    assert found.skill_error < 1e-3
    assert found.skill_term < 1e-3
    assert found.planner_error == pytest.approx(0.0, abs=1e-5)
    assert found.plans_outside == 0.0
    assert found.model_error < 0.01
    assert found.slope == pytest.approx(STEP / 0.5, rel=0.1)  # the dynamics, standardised
    assert found.inverse_slope == pytest.approx(0.5 / STEP, rel=0.1)
    assert sum(found.error_over_time) < 1e-8


def test_a_plan_that_no_action_reaches_is_the_planners_fault(world) -> None:
    found = report(world, (5 * STEP, 0.0), exact)
    assert found.blame == "plan"
    far = (4 * STEP / 0.5) ** 2  # one step is possible, four are missing, in x alone
    assert found.error_by_feature == pytest.approx((far, 0.0), rel=1e-3, abs=1e-6)
    assert found.bias_by_feature[0] == pytest.approx(4 * STEP / 0.5, rel=1e-3)
    assert found.unreachable == pytest.approx(far / 2, rel=0.05)
    assert found.unskilled < 0.01 * found.unreachable
    assert found.plans_outside == 1.0
    assert found.reached_outside == 0.0
    assert found.planner_error == pytest.approx(4.5 * STEP / 0.5, rel=1e-3)
    assert found.planner_term == pytest.approx(found.planner_error, rel=0.2)  # L·C = 1


def test_a_wrong_action_towards_a_possible_plan_is_the_skills_fault(world) -> None:
    found = report(world, EXPERT, lambda state, target: -exact(state, target))
    assert found.blame == "skill"
    assert found.skill_error == pytest.approx(1.0, rel=0.1)  # from −½ to +½
    assert found.unskilled == pytest.approx(found.reach_error, rel=0.1)
    assert found.unreachable < 0.05 * found.unskilled
    assert found.skill_term == pytest.approx(STEP / 0.5, rel=0.2)
    assert found.plans_outside == 0.0


def test_a_plan_partly_in_reach_is_split_into_what_was_and_what_was_not(world) -> None:
    found = report(world, (3 * STEP, 0.0), lambda state, target: 0.0 * exact(state, target))
    whole, left = (3 * STEP / 0.5) ** 2 / 2, (2 * STEP / 0.5) ** 2 / 2
    assert found.reach_error == pytest.approx(whole, rel=1e-3)
    assert found.unreachable == pytest.approx(left, rel=0.1)
    assert found.unskilled == pytest.approx(whole - left, rel=0.1)
    assert found.blame == "skill"  # standing still gives away 5 of 9


@pytest.mark.parametrize("lead", [0.0, -1.0])
def test_without_a_replay_the_skill_is_found_out_all_the_same(world, lead: float) -> None:
    """One that stands still or turns round: the policy's own steps do not tell what others do."""
    nowhere = (None, world[1])
    found = report(nowhere, EXPERT, lambda state, target: lead * exact(state, target))
    assert found.blame == "skill"
    assert found.unreachable < 0.05 * found.unskilled
    assert found.slope == pytest.approx(STEP / 0.5, rel=0.1)
    assert "with noise" in found.visited


def test_one_real_transition_in_a_thousand_is_outside() -> None:
    rng = np.random.default_rng(1)
    state = rng.normal(size=(20_000, 3))
    change = state @ rng.normal(size=(3, 3)) + rng.normal(size=(20_000, 3)) * [1.0, 0.1, 1e-3]
    region = VisitedRegion.of(state, change)
    assert region.outside(state, change).mean() == pytest.approx(1e-3, rel=0.1)
    moved = change + np.array([0.0, 0.0, 0.01])  # a hundredth of the first feature's spread
    assert region.outside(state, moved).mean() > 0.99


def test_newest_rows_are_read_without_touching_the_folder(tmp_path: Path) -> None:
    replay = Replay(10, 1, 1)
    for i in range(3):
        x = np.full((4, 1), i, np.float32)
        replay.add(Transitions(x, x, x, x[:, 0], np.zeros(4, bool)))
        replay.save(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    rows = read_newest(tmp_path, 6, 1, 1)
    assert rows is not None
    assert rows.state[:, 0].tolist() == [1, 1, 2, 2, 2, 2]
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert read_newest(tmp_path / "none", 6, 1, 1) is None


class Table(depo.CategoricalSkill):
    """A skill of a grid world that is always right, or always wrong."""

    successor: jax.Array
    right: bool = eqx.field(static=True)

    def __init__(self, successor: jax.Array, right: bool):
        super().__init__(jax.random.key(0), *successor.shape, hidden=(2,))
        self.successor, self.right = successor, right

    def mode(self, state, target):
        leads = self.successor[state] == target[..., None]
        return jnp.argmax(leads if self.right else ~leads, axis=-1)

    def towards_all(self, state):
        every = jnp.arange(self.states)
        chosen = self.mode(jnp.broadcast_to(state, every.shape), every)
        return jnp.log(jax.nn.one_hot(chosen, self.actions) + 1e-9)


@pytest.mark.parametrize(("right", "blame"), [(True, "nobody"), (False, "skill")])
def test_on_a_grid_everything_is_exact(right: bool, blame: str) -> None:
    world = GridWorld(GridWorldSettings(size=3, shaded="none"))
    demos = world.demonstrations(2)
    planner = depo.CategoricalPlanner(jax.random.key(0), world.states, hidden=(8,))
    towards = np.array([_nearer(world, s) for s in range(world.states)])
    weights = jnp.zeros_like(planner.network.weights[0])
    planner = eqx.tree_at(lambda p: p.network.weights[0], planner, weights)
    fixed = Fixed(planner.network, planner.states, jnp.array(towards))
    policy = depo.DecoupledPolicy(fixed, Table(jnp.array(world.successor), right))
    found = on_grid(policy, world, demos)
    assert found.blame == blame
    assert found.plans_outside == 0.0
    assert found.unreachable == 0.0
    assert found.unskilled == found.reach_error == (0.0 if right else 1.0)
    illegal = Fixed(planner.network, planner.states, jnp.array((towards * 0) + world.goal))
    lost = on_grid(
        depo.DecoupledPolicy(illegal, Table(jnp.array(world.successor), True)), world, demos
    )
    assert lost.blame == "plan"
    assert lost.plans_outside > 0.5


class Fixed(depo.CategoricalPlanner):
    """A planner whose most likely next states are given."""

    plan: jax.Array

    def __init__(self, network, states, plan):
        self.network, self.states, self.plan = network, states, plan

    def mode(self, state):
        return self.plan[state]

    def log_probabilities(self, state):
        return jnp.log(jax.nn.one_hot(self.plan[state], self.states) + 1e-9)


def _nearer(world: GridWorld, state: int) -> int:
    options = world.successor[state]
    return int(options[np.argmin(world.distance_to_goal[options])])


def test_the_command_writes_figure_and_json(tmp_path: Path, tiny, capsys) -> None:
    begin(make_job("depo", steps=64, **flat(**tiny)), tmp_path / "grid")
    assert call("reachability", str(tmp_path / "grid"), "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["blame"] in ("plan", "skill", "nobody")
    assert answer["reach_error"] == pytest.approx(answer["unreachable"] + answer["unskilled"])
    assert Path(answer["figure"]).exists()
    stored = json.loads((tmp_path / "grid" / "figures" / "reachability-seed-0.json").read_text())
    assert stored["plans_outside"] == answer["plans_outside"]
    assert call("reachability", str(tmp_path / "grid")) == 0
    assert "to blame" in capsys.readouterr().out


def test_among_discrete_actions_the_one_that_leaves_least_is_the_best() -> None:
    effects = jnp.array([[-1.0, 0.0], [0.0, 0.5], [1.0, 0.0]])
    model = Forward(MLP(jax.random.key(0), 5, (), 2), jnp.ones(2))
    weights = jnp.concatenate([jnp.zeros((2, 2)), effects])
    model = eqx.tree_at(lambda m: m.network.weights[0], model, weights)
    left = jnp.array([[0.9, 0.1], [-1.1, 0.6], [0.1, 0.0]])  # of what 0, 2 and 1 have not reached
    taken = jnp.eye(3)[jnp.array([0, 2, 1])]
    found = best_choices(model, jnp.eye(3), jnp.zeros((3, 2)), taken, left)
    np.testing.assert_array_equal(found.action, jnp.eye(3)[jnp.array([1, 1, 1])])
    np.testing.assert_allclose(found.gained, [[1.0, 0.5], [-1.0, 0.5], [0.0, 0.0]], atol=1e-6)
    spread = np.linalg.svd(effects - effects.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(found.slopes, [spread] * 3, atol=1e-5)
