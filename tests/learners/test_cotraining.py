"""One planner with several variants of an environment: shared, resumable, and right for each."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.core.errors import DepoError
from depo.core.weights import digest, load_tree
from depo.environments.by_name import named_environment
from depo.runs.problem import open_problem
from depo.runs.run import Run
from tests.environments.point import ID, STEP, Point, straight_demonstrations
from tests.support.arguments import flat
from tests.support.settings import SKILL

VARIANTS = ("as-is", "inverted")


QUICK = {**SKILL, "random_steps": 100, "batch_steps": 50, "evaluate_every": 2}


def cotrain(folder: Path, out: str = "run", **changes):
    demos = straight_demonstrations(folder / "demos.npz")
    return depo.cotrain(
        "depo", variants=VARIANTS, env=ID, demos=demos, out=folder / out, **flat(**changes)
    )


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["round-robin", pytest.param("joint", marks=pytest.mark.slow)])
def test_variants_share_the_planner_and_each_has_the_skill_for_its_actions(
    schedule: str, tmp_path: Path
) -> None:
    anchored = {"calibration": 1.0, "supervision": 1.0, "planner_rate": 1e-3, "preset": "v0.1"}
    run = cotrain(tmp_path, schedule=schedule, steps=3_000, **{**SKILL, **anchored})
    states = jnp.array(np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2)), jnp.float32)
    planner = depo.load_planner(run.path / "planner" / "seed-0")
    planned = np.asarray(planner.mode(states) - states).mean(axis=0)
    np.testing.assert_allclose(planned, [STEP / 2, 0.0], atol=0.03)
    target = states + jnp.array([STEP / 2, 0.0])
    for variant, sign in (("as-is", 1.0), ("inverted", -1.0)):
        skill = depo.load_skill(run.path / "skill" / f"seed-0-{variant}")
        action = np.asarray(skill.mode(states, target)).mean(axis=0)
        np.testing.assert_allclose(action, [sign * 0.5, 0.0], atol=0.2)
    last = run.metrics()[-1]
    assert last["env_steps"] == 3_000
    mean = (last["return_as-is"] + last["return_inverted"]) / 2
    assert last["return"] == pytest.approx(mean)


@pytest.fixture(
    scope="module", params=[pytest.param("round-robin", marks=pytest.mark.slow), "joint"]
)
def whole(request, tmp_path_factory) -> tuple[Run, Path]:
    """A run whose first variant is inverted, and its folder as it was in the middle."""
    folder = tmp_path_factory.mktemp("cotrained")

    def keep(evaluation: depo.Evaluation) -> None:
        if evaluation.steps == 600:
            shutil.copytree(folder / "run", folder / "stopped")

    run = depo.cotrain(
        "depo",
        variants=tuple(reversed(VARIANTS)),
        env=ID,
        demos=straight_demonstrations(folder / "demos.npz"),
        steps=800,
        seeds=2,
        schedule=request.param,
        out=folder / "run",
        callbacks=[depo.Call(keep)],
        **flat(**QUICK),
    )
    return run, folder / "stopped"


def test_a_stopped_cotraining_goes_on_bit_for_bit(whole: tuple[Run, Path]) -> None:
    run, stopped = whole[0], Run.open(whole[1])
    assert 0 < stopped.latest()[1].block < run.latest()[1].block
    depo.resume(stopped.path)
    assert (stopped.path / "metrics.csv").read_bytes() == (run.path / "metrics.csv").read_bytes()
    assert stopped.latest()[0].read_bytes() == run.latest()[0].read_bytes()


def test_what_a_cotrained_run_did_is_found_by_reports_and_recordings(
    whole: tuple[Run, Path],
) -> None:
    run, _ = whole
    assert depo.evaluate(run.path, episodes=2)[1]["env_steps"] == 800
    if run.job.schedule == "joint":
        return  # reports and recordings do not ask how it was trained
    assert "run's replay" in depo.reachability(run.path, episodes=2).visited
    recorded = depo.record(run, episodes=2)
    assert recorded.metadata["dynamics"] == "inverted"  # the first variant plays


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["round-robin", pytest.param("joint", marks=pytest.mark.slow)])
def test_variants_of_the_grid_world_share_a_planner_of_all_their_states(
    schedule: str, tmp_path: Path
) -> None:
    small = {"size": 3, "hidden": 16, "batch_steps": 64, "steps": 128, "evaluate_every": 1}
    small |= {"seeds": 2, "schedule": schedule}
    run = depo.cotrain("depo", variants=("1", "4"), out=tmp_path / "run", **flat(**small))
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    state = load_tree(run.latest()[0], problem.skeleton())
    policies = problem.learner.policies(state, 1)
    assert len({digest(policy.planner) for policy in policies.values()}) == 1
    assert [policy.skill.actions for policy in policies.values()] == [4, 16]
    row = run.metrics()[-1]
    assert {"success_1", "success_4"} <= set(row)
    assert row["env_steps"] == 128


def test_variants_of_the_grid_world_have_chances_of_their_own() -> None:
    job = make_job(
        "depo", variants=("1", "2"), steps=256, overrides={"hidden": 8, "batch_steps": 64}
    )
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


def test_environments_that_share_states_are_variants(tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    variants = (ID, f"{ID.partition(':')[0]}:depo-test/Light-v0")
    gym.register("depo-test/Light-v0", entry_point=Point, kwargs={"actions": "wide"})
    job = make_job("depo", variants=variants, env=ID, demos=demos, steps=400, **flat(**QUICK))
    problem = open_problem(job)
    problem.close()
    assert [part.job.environment.id for part in problem.parts.values()] == list(variants)
    other = replace(job, variants=(ID, "HalfCheetah-v5"))
    with pytest.raises(DepoError, match="17"):
        open_problem(other)


def test_variants_keep_what_the_environment_has_of_its_own() -> None:
    heavy = named_environment(ID, {"actions": "wide"}, "scaled=0.5")
    assert heavy.variant("inverted").dynamics == "scaled=0.5,inverted"
    assert heavy.variant("as-is") == heavy
    assert heavy.variant(ID) == heavy
    assert heavy.variant("Hopper-v5").settings.arguments == ()


@pytest.mark.parametrize(("schedule", "planner"), [("round-robin", 600), ("joint", 300)])
def test_rates_fall_by_a_variants_own_updates(schedule: str, planner: int, tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    job = make_job(
        "depo",
        variants=VARIANTS,
        env=ID,
        demos=demos,
        steps=800,
        **flat(anneal=0.1, updates_per_step=1.0, **QUICK),
    )
    problem = open_problem(replace(job, schedule=schedule))
    problem.close()
    for part in problem.parts.values():
        pace = part.learner.method.pace  # type: ignore[union-attr]
        assert pace.updates == 300
        assert pace.of_planner().updates == planner


def test_what_cannot_be_trained_together_is_refused(tmp_path: Path) -> None:
    for method in ("gaifo", "depo-rl"):
        with pytest.raises(
            DepoError, match=f"'{method}' has no planner that variants can share: take depo, "
        ):
            make_job(method, env=ID, variants=VARIANTS)
    with pytest.raises(DepoError, match="at least two"):
        depo.cotrain("depo", variants=("1",), steps=100, out=tmp_path / "none")
    with pytest.raises(DepoError, match="no k of the grid world"):
        depo.cotrain("depo", variants=("1", "inverted"), steps=100, out=tmp_path / "a")
    with pytest.raises(DepoError, match="the same one with all of them"):
        depo.cotrain("depo-supervised", variants=("1", "2"), schedule="joint", out=tmp_path / "b")
    demos = straight_demonstrations(tmp_path / "demos.npz")
    with pytest.raises(DepoError, match="unknown dynamics"):
        depo.cotrain("depo", variants=("as-is", "upside"), env=ID, demos=demos, out=tmp_path / "c")
