"""Off-policy learning where the answer is known: s' = s + a/10, an expert that walks right."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.demos import Demonstrations
from depo.evaluation.of_run import load_policies
from depo.learners.replay import Replay
from depo.methods.descent import Trained
from depo.methods.off_policy.depo import DePOMethod
from depo.methods.off_policy.method import Batch, Pace, Shape
from depo.models.folder import read_origin
from depo.models.judges import Scalar
from depo.models.standard import Standard
from depo.runs.run import Run
from depo.runs.training import begin
from depo.settings.off_policy import METHODS, DePO
from depo.weights import digest
from tests.environments.point import ID, STEP, straight_demonstrations

SMALL = {
    "hidden": 32,
    "minibatch": 64,
    "batch_steps": 100,
    "random_steps": 400,
    "evaluate_every": 5,
    "checkpoint_every": 2,
    "average": 0.02,  # a run of a thousand updates has no time for a slower one
}
IMITATION = SMALL | {"demo_episodes": 3}
QUICKLY = ("gaifo-dp", "bco")
"""Methods whose short run is always tested; the others' are slow tests."""
SKILL = IMITATION | {"skill_hidden": 32, "skill_rate": 3e-3}


def train(method: str, folder: Path, **changes) -> Run:
    demos = straight_demonstrations(folder / "demos.npz")
    return depo.train(method, env=ID, demos=demos, out=folder / "run", **changes)


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


@pytest.mark.parametrize(
    "more",
    [{}, pytest.param({"demo_share": 0.5, "sample_plans": False}, marks=pytest.mark.slow)],
)
def test_decoupled_policy_optimisation_walks_as_the_expert(more: dict, tmp_path: Path) -> None:
    anchored = {"calibration": 1.0, "supervision": 1.0, "planner_rate": 1e-3}
    run = train("depo", tmp_path, steps=3_000, **SKILL, **anchored, **more)
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    states = jnp.array(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), jnp.float32)
    planned = np.asarray(planner.mode(states) - states).mean(axis=0)
    np.testing.assert_allclose(planned, [STEP / 2, 0.0], atol=0.03)
    assert run.metrics()[-1]["reach_error_relative"] < 0.3


def decoupled(standard: Standard, **changes) -> tuple[DePOMethod, dict]:
    """A DePO agent of tiny networks between states of two numbers."""
    method = DePOMethod(DePO(hidden=8, skill_hidden=8, discriminator_hidden=8, **changes))
    return method, method.init(jax.random.key(0), Shape(standard, 2, standard, (0, 1)))


def transitions(size: int, seed: int) -> Batch:
    state, action, next_state = jax.random.normal(jax.random.key(seed), (3, size, 2))
    return Batch(state, jnp.tanh(action), next_state, jnp.ones(size), jnp.ones(size) > 0)


def test_critics_learn_from_demonstrations_with_the_actions_the_skill_would_take() -> None:
    method, agent = decoupled(Standard.none(2), demo_share=0.5, reward_centre=0.1)
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
        method, agent = decoupled(Standard.none(2), sample_plans=sample)
        policy = method.policy(agent)
        is_mean = np.array_equal(
            policy.sample(batch.state, key).plan, policy.planner.mode(batch.state)
        )
        assert is_mean == (not sample)

        def loss(planner, method=method, agent=agent) -> jax.Array:
            plan = planner.distribution(batch.state)
            return method.decoupled_gradient(planner, plan, agent, batch, key)[0]

        last = eqx.filter_grad(loss)(agent["planner"].model).network.weights[-1]
        steepness[sample] = float(jnp.abs(last[:, 2:]).max())  # the half that gives log-std
        assert float(jnp.abs(last[:, :2]).max()) > 0
    assert steepness[False] == 0 < steepness[True]


def best_return() -> float:
    """Walk to the line y = 0 at full speed and stay there."""
    starts = np.abs(np.random.default_rng(0).uniform(-1, 1, 10_000))
    steps = np.arange(1, 41)[:, None]
    return float(-np.maximum(starts - STEP * steps, 0).sum(axis=0).mean())


def test_soft_actor_critic_solves_a_task_with_a_known_optimum(tmp_path: Path) -> None:
    run = depo.train(
        "sac", env=ID, steps=4_000, out=tmp_path / "run", **SMALL, actor_rate=3e-3, critic_rate=3e-3
    )
    assert run.metrics()[-1]["return"] > 3 * best_return()  # doing nothing is worth 40 × 0.5
    assert run.metrics()[-1]["return"] > -6.0


def test_a_decoupled_policy_learns_from_reward_alone(tmp_path: Path) -> None:
    settings = {**SMALL, "skill_hidden": 32, "skill_rate": 3e-3, "planner_rate": 3e-3}
    changes = {**settings, "critic_rate": 3e-3}
    run = depo.train("depo-rl", env=ID, steps=2_500, out=tmp_path / "run", **changes)
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
    whole = depo.train("depo-rl", env=ID, out=tmp_path / "whole", skill_memory=True, **small)
    stopped = begin(whole.job, tmp_path / "stopped")

    def kill(steps: int, *_: object) -> None:
        if steps == 600:  # the first update was at 400, a checkpoint of it at 400
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        depo.resume(stopped.path, report=kill)
    depo.resume(stopped.path)
    assert (stopped.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert stopped.latest()[0].read_bytes() == whole.latest()[0].read_bytes()
    replay = Replay(10_000, states=4, actions=2)
    replay.load(whole.path / "replay" / "seed-0", 1_000)
    first = replay.newest(1_000).state[:400]
    planner = depo.load_planner(whole.path / "planner" / "seed-0")
    skill = depo.load_skill(whole.path / "skill" / "seed-0")
    np.testing.assert_allclose(planner.standard.mean, first[:, :2].mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(skill.standard.scale, first.std(axis=0), rtol=1e-5)
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
    np.testing.assert_allclose(planner.standard.mean, states.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize(
    ("method", "preset"),
    [
        *(
            pytest.param(name, "fast", marks=() if name in QUICKLY else pytest.mark.slow)
            for name in METHODS
            if name not in ("sac", "depo", "transfer")
        ),
        ("depo", "paper"),
    ],
)
def test_every_method_runs_scores_and_can_be_evaluated(
    method: str, preset: str, tmp_path: Path
) -> None:
    changes: dict[str, object] = {**IMITATION, "random_steps": 100, "batch_steps": 50}
    if method in ("depo", "depo-agnostic", "depo-supervised", "depo-rl", "bco"):
        changes |= {"skill_hidden": 32, "first_fit_passes": 2, "refit_passes": 2}
    run = train(method, tmp_path, steps=500, preset=preset, seeds=2, **changes)
    rows = run.final_scores()
    assert [row["seed"] for row in rows] == [0, 1]
    assert rows[0]["return"] != rows[1]["return"]
    again = depo.evaluate(run.path, episodes=3)
    assert [row["env_steps"] for row in again] == [500, 500]
    plans = method not in ("gaifo", "bco")
    assert ("reach_error" in rows[0]) == plans
    assert (run.path / "planner" / "seed-1").exists() == plans


def test_the_planners_gradient_leaves_the_skill_alone() -> None:
    method = DePOMethod(DePO(hidden=8, skill_hidden=8, skill_rate=0.0))
    shape = Shape(Standard.none(2), 2, Standard.none(2), (0, 1))
    agent = method.init(jax.random.key(0), shape)
    rows = jax.random.normal(jax.random.key(1), (3, 16, 2))
    batch = Batch(*rows, jnp.zeros(16), jnp.zeros(16, bool))
    after, _ = method.update(agent, batch, batch, (rows[0], rows[2]), jax.random.key(2))
    changed = {name for name in agent if digest(after[name].model) != digest(agent[name].model)}
    assert {"planner", "critic", "discriminator"} <= changed
    assert "skill" not in changed


@pytest.mark.slow
def test_a_skill_with_memory_and_a_skill_given(tmp_path: Path) -> None:
    small = {**SKILL, "steps": 500, "random_steps": 100, "batch_steps": 50}
    first = train("depo", tmp_path, skill_memory=True, **small)
    skill = depo.load_skill(first.path / "skill" / "seed-0")
    planner = depo.load_planner(first.path / "planner" / "seed-0")
    assert skill.standard.mean.shape == (4,)
    assert planner.standard.mean.shape == (2,)
    second = depo.train(
        "depo-supervised",
        env=ID,
        demos=tmp_path / "demos.npz",
        out=tmp_path / "second",
        skill=first.path / "skill" / "seed-0",
        skill_memory=True,
        **{**small, "skill_rate": 0.0},
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
            **small,
        )


def test_rates_fall_to_their_share_and_averages_follow() -> None:
    weights = {"w": jnp.zeros(3)}
    steps = []
    late = Pace(5, 0.1, after=0.4)
    for pace in [Pace(0, 0.1), Pace(4, 0.1), late, late.joined_after(2)]:
        optimiser = pace.adam(1e-2)
        state = optimiser.init(weights)
        for _ in range(6):
            update, state = optimiser.update({"w": jnp.ones(3)}, state)
            steps.append(-float(update["w"][0]))
    np.testing.assert_allclose(steps[:6], 1e-2, rtol=1e-3)
    np.testing.assert_allclose(steps[6:12], [1e-2, 7.75e-3, 5.5e-3, 3.25e-3, 1e-3, 1e-3], rtol=1e-3)
    np.testing.assert_allclose(steps[12:18], [1e-2, 1e-2, 1e-2, 7e-3, 4e-3, 1e-3], rtol=1e-3)
    np.testing.assert_allclose(steps[18:], [1e-2, 7e-3, 4e-3, 1e-3, 1e-3, 1e-3], rtol=1e-3)


def test_the_kept_policy_is_an_average_of_the_trained_one(tmp_path: Path) -> None:
    quick = {**SMALL, "steps": 500, "random_steps": 400, "evaluate_every": 1}
    kept = {}
    for average in (0.0, 0.01):
        demos = straight_demonstrations(tmp_path / "demos.npz")
        changes = {**quick, "average": average}
        run = depo.train("gaifo", env=ID, demos=demos, out=tmp_path / str(average), **changes)
        agent = load_policies(run)[0].network.weights[0]
        kept[average] = np.asarray(agent)
    start = load_policies(begun(tmp_path / "0.0", tmp_path / "start"))[0].network.weights[0]
    moved = np.abs(kept[0.0] - start).sum()
    lagging = np.abs(kept[0.01] - start).sum()
    assert 0 < lagging < moved


def begun(run: Path, folder: Path) -> Run:
    """A run like another, with nothing learned yet."""
    return begin(Run.open(run).job, folder)
