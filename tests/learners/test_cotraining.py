"""One planner with several kinds of an environment: shared, resumable, and right for each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.errors import DepoError
from depo.methods.on_policy import make_method
from depo.methods.on_policy.cotraining import joint_improvement
from depo.methods.on_policy.depo import AgnosticMethod, Todo
from depo.runs.job import EnvironmentSettings
from depo.runs.problem import open_problem
from depo.runs.training import begin
from depo.settings.on_policy import DePO
from depo.weights import digest, load_tree
from tests.environments.point import ID, STEP, Point, straight_demonstrations
from tests.methods.test_vector_learning import SKILL

KINDS = ("as-is", "inverted")
QUICK = {**SKILL, "random_steps": 100, "batch_steps": 50, "evaluate_every": 2}


def cotrain(folder: Path, out: str = "run", **changes):
    demos = straight_demonstrations(folder / "demos.npz")
    return depo.cotrain("depo", types=KINDS, env=ID, demos=demos, out=folder / out, **changes)


@pytest.mark.parametrize("schedule", ["round-robin", pytest.param("joint", marks=pytest.mark.slow)])
def test_kinds_share_the_planner_and_each_has_the_skill_for_its_actions(
    schedule: str, tmp_path: Path
) -> None:
    anchored = {"calibration": 1.0, "supervision": 1.0, "planner_rate": 1e-3}
    run = cotrain(tmp_path, schedule=schedule, steps=3_000, **{**SKILL, **anchored})
    states = jnp.array(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), jnp.float32)
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    planned = np.asarray(planner.mode(states) - states).mean(axis=0)
    np.testing.assert_allclose(planned, [STEP / 2, 0.0], atol=0.03)
    target = states + jnp.array([STEP / 2, 0.0])
    for kind, sign in (("as-is", 1.0), ("inverted", -1.0)):
        skill = depo.load_skill(run.path / "skill" / f"seed-0-{kind}")
        action = np.asarray(skill.mode(states, target)).mean(axis=0)
        np.testing.assert_allclose(action, [sign * 0.5, 0.0], atol=0.2)
    last = run.metrics()[-1]
    assert last["env_steps"] == 3_000
    mean = (last["return_as-is"] + last["return_inverted"]) / 2
    assert last["return"] == pytest.approx(mean)


@pytest.mark.parametrize("schedule", ["round-robin", "joint"])
def test_a_stopped_cotraining_goes_on_bit_for_bit(schedule: str, tmp_path: Path) -> None:
    whole = cotrain(tmp_path, "whole", steps=1_000, seeds=2, schedule=schedule, **QUICK)
    stopped = begin(whole.job, tmp_path / "stopped")

    def kill(steps: int, *_: object) -> None:
        if steps == 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        depo.resume(stopped.path, report=kill)
    depo.resume(stopped.path)
    assert (stopped.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert stopped.latest()[0].read_bytes() == whole.latest()[0].read_bytes()
    assert depo.evaluate(whole.path, episodes=2)[1]["env_steps"] == 1_000


@pytest.mark.parametrize("schedule", ["round-robin", "joint"])
def test_kinds_of_the_grid_world_share_a_planner_of_all_their_states(
    schedule: str, tmp_path: Path
) -> None:
    small = {"steps": 768, "hidden": 16, "evaluate_every": 1, "seeds": 2, "schedule": schedule}
    run = depo.cotrain("depo", types=("1", "2", "4"), out=tmp_path / "run", **small)
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    state = load_tree(run.latest()[0], problem.skeleton())
    policies = problem.learner.policies(state, 1)  # type: ignore[attr-defined]
    assert len({digest(policy.planner) for policy in policies.values()}) == 1
    assert [policy.skill.actions for policy in policies.values()] == [4, 8, 16]
    row = run.metrics()[-1]
    assert {"success_1", "success_2", "success_4"} <= set(row)
    assert row["env_steps"] == 768


def test_kinds_of_the_grid_world_have_chances_of_their_own() -> None:
    job = make_job("depo", types=("1", "2"), steps=256, hidden=8, batch_steps=64)
    problem = open_problem(job)
    one, two = (part.learner for part in problem.parts.values())
    states = [learner.init([0]) for learner in (one, two)]
    agents = [state.agent["discriminator"] for state in states]
    assert digest(agents[0]) != digest(agents[1])
    keys = [jax.random.key_data(state.key).tolist() for state in states]
    assert keys[0] != keys[1]
    for learner, state in zip((one, two), states, strict=True):
        learner.synchronise(state, 0)
    starts = [learner.positions().state.tolist() for learner in (one, two)]
    assert starts[0] != starts[1]


def test_the_joint_planner_follows_the_sum_of_losses() -> None:
    method = make_method(DePO(hidden=8, minibatch=16, planner_rate=0.1))
    assert isinstance(method, AgnosticMethod)
    agent = method.init(jax.random.key(0), 5, 3)

    def towards(state: int, weight: float):
        def loss(planner, batch):
            return -weight * jnp.mean(planner.log_probabilities(batch)[:, state])

        return agent, Todo(loss, jnp.zeros((30, 4), jnp.int32)), {"reward": jnp.ones(())}

    (first, second), metrics = joint_improvement(method, [towards(1, 3.0), towards(2, 1.0)])
    assert digest(first["planner"].model) == digest(second["planner"].model)
    assert set(metrics[0]) == {"reward", "planner_loss"}
    planned = np.exp(first["planner"].model.log_probabilities(jnp.zeros(1, jnp.int32)))[0]
    np.testing.assert_allclose(planned[[1, 2]], [0.75, 0.25], atol=0.05)  # 3 : 1, as weights are


def test_environments_that_share_states_are_kinds(tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    kinds = (ID, f"{ID.partition(':')[0]}:depo-test/Light-v0")
    gym.register("depo-test/Light-v0", entry_point=Point, kwargs={"actions": "wide"})
    job = make_job("depo", types=kinds, env=ID, demos=demos, steps=400, **QUICK)
    problem = open_problem(job)
    problem.close()
    assert [part.job.environment.id for part in problem.parts.values()] == list(kinds)
    other = replace(job, types=(ID, "HalfCheetah-v5"))
    with pytest.raises(DepoError, match="17"):
        open_problem(other)


def test_kinds_keep_what_the_environment_has_of_its_own() -> None:
    heavy = EnvironmentSettings(ID, None, (("actions", "wide"),), "scaled=0.5")
    assert heavy.of_type("inverted").dynamics == "scaled=0.5,inverted"
    assert heavy.of_type("as-is") == heavy
    assert heavy.of_type(ID) == heavy
    assert heavy.of_type("Hopper-v5").arguments == ()


def test_what_a_cotrained_run_did_is_found_by_reports_and_recordings(tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    kinds = ("inverted", "as-is")
    run = depo.cotrain(
        "depo", types=kinds, env=ID, demos=demos, steps=600, out=tmp_path / "run", **QUICK
    )
    assert "run's replay" in depo.reachability(run.path, episodes=2).visited
    recorded = depo.record(run, episodes=2)
    assert recorded.metadata["dynamics"] == "inverted"  # the first kind plays


@pytest.mark.parametrize(("schedule", "planner"), [("round-robin", 600), ("joint", 300)])
def test_rates_fall_by_each_kinds_own_updates(schedule: str, planner: int, tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    job = make_job("depo", types=KINDS, env=ID, demos=demos, steps=800, anneal=0.1, **QUICK)
    problem = open_problem(replace(job, schedule=schedule))
    problem.close()
    for part in problem.parts.values():
        pace = part.learner.method.pace  # type: ignore[union-attr]
        assert pace.updates == 300
        assert pace.of_planner().updates == planner


def test_what_cannot_be_trained_together_is_refused(tmp_path: Path) -> None:
    for method in ("gaifo", "depo-rl"):
        with pytest.raises(DepoError, match="unknown method with a planner to share"):
            make_job(method, env=ID, types=KINDS)
    with pytest.raises(DepoError, match="at least two"):
        depo.cotrain("depo", types=("1",), steps=100, out=tmp_path / "none")
    with pytest.raises(DepoError, match="no k of the grid world"):
        depo.cotrain("depo", types=("1", "inverted"), steps=100, out=tmp_path / "a")
    with pytest.raises(DepoError, match="the same one with all of them"):
        depo.cotrain("depo-supervised", types=("1", "2"), schedule="joint", out=tmp_path / "b")
    demos = straight_demonstrations(tmp_path / "demos.npz")
    with pytest.raises(DepoError, match="unknown dynamics"):
        depo.cotrain("depo", types=("as-is", "upside"), env=ID, demos=demos, out=tmp_path / "c")
