from __future__ import annotations

import shutil
from pathlib import Path

import gymnasium as gym
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.analysis.evaluate import load_policies
from depo.api import make_job
from depo.runs.run import Run
from depo.runs.training import begin
from tests.environments import point

TINY = {"hidden": 8, "batch_steps": 64, "evaluate_every": 1}
VECTOR = {"hidden": 8, "batch_steps": 50, "random_steps": 50, "minibatch": 16, "evaluate_every": 1}
WIDE = {"actions": "wide"}


@pytest.mark.parametrize("method", ["depo", "gaifo", "bco", "ppo"])
def test_a_finite_policy_is_exported_and_equals_the_checkpoint(method: str, tmp_path: Path) -> None:
    run = depo.train(method, steps=64, seeds=2, overrides=TINY, out=tmp_path / "run")
    assert sorted(p.name for p in (run.path / "policy").iterdir()) == ["seed-0", "seed-1"]
    cells = np.arange(36)
    for seed, model in enumerate(load_policies(run)):
        policy = run.policy(seed)
        np.testing.assert_array_equal(
            policy.act(cells), np.asarray(model.mode(jnp.asarray(cells)).action)
        )
        assert policy.origin.seed == seed
    env = gym.make("depo/GridWorld-v0")
    assert policy.act(env.reset(seed=0)[0]) in env.action_space
    shutil.rmtree(run.path / "policy")  # as runs were before
    np.testing.assert_array_equal(run.policy(1).act(cells), policy.act(cells))
    with pytest.raises(depo.DepoError, match=r"the seeds \[0, 1\], not 7"):
        run.policy(7)
    with pytest.raises(depo.DepoError, match="variant"):
        run.policy(variant="2")


@pytest.fixture(scope="module")
def demos(tmp_path_factory) -> Path:
    return point.straight_demonstrations(tmp_path_factory.mktemp("demos") / "demos.npz")


@pytest.mark.parametrize(
    "method",
    [
        *("depo", "depo-agnostic", "depo-supervised", "depo-rl", "gaifo", "gaifo-dp", "bco", "sac"),
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("bc", "gail", "airl", "opolo", "iddm")),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("imo", "qss", "qss-gaifo", "sail", "gsp")
        ),
    ],
)
def test_every_method_on_vectors_has_a_policy_in_own_units(
    method: str, demos: Path, tmp_path: Path
) -> None:
    job = make_job(
        method, env=point.ID, env_args=WIDE, demos=demos, steps=5_000, overrides={"hidden": 8}
    )
    policy = begin(job, tmp_path / "run").policy()
    env = gym.make("depo-test/Point-v0", **WIDE)
    action = policy.act(env.reset(seed=0)[0])
    assert action in env.action_space
    middle = policy.act(np.random.default_rng(0).normal(size=(200, 2)), deterministic=False)
    assert middle.min() >= -3.0
    assert middle.max() > 1.5  # reached by no action in [−1,1]


@pytest.fixture(scope="module")
def trained(demos: Path, tmp_path_factory) -> Run:
    out = tmp_path_factory.mktemp("runs") / "run"
    small = VECTOR | {"skill_memory": True}
    return depo.train(
        "depo-supervised",
        env=point.ID,
        env_args=WIDE,
        demos=demos,
        steps=100,
        overrides=small,
        out=out,
    )


def test_a_trained_policy_plays_as_the_evaluation_does(trained: Run) -> None:
    policy = depo.load_policy(trained.path / "policy" / "seed-0")
    assert policy.remembers
    (model,) = load_policies(trained)
    env = gym.make("depo-test/Point-v0", **WIDE)
    state, _ = env.reset(seed=0)
    before = state
    policy.reset()
    for _ in range(5):
        both = jnp.asarray(np.concatenate([state, before]), jnp.float32)
        own = -3.0 + 4.0 * (np.asarray(model.mode(both).action) + 1.0)
        action = policy.act(state)
        np.testing.assert_allclose(action, own, atol=1e-5)
        before = state
        state, *_ = env.step(action)


def test_a_transfer_and_a_formula_have_policies_too(trained: Run, tmp_path: Path) -> None:
    run = depo.transfer(
        trained.path,
        env=point.ID,
        env_args=WIDE,
        dynamics="inverted",
        skill=point.inverse,
        steps=0,
        out=tmp_path / "run",
    )
    policy = run.policy()
    np.testing.assert_array_equal(
        policy.act(np.zeros(2)), run.policy(skill=point.inverse).act(np.zeros(2))
    )
    low, high = point.Point(**WIDE).action_space.low, point.Point(**WIDE).action_space.high
    assert (policy.act(np.zeros(2)) >= low).all()
    assert (policy.act(np.zeros(2)) <= high).all()
    shutil.rmtree(run.path / "policy")
    assert run.policy(skill=point.inverse).act(np.zeros(2)).shape == (2,)


def test_mixed_dynamics_have_twice_the_actions(demos: Path, tmp_path: Path) -> None:
    job = make_job("bco", env=point.ID, dynamics="mixed", demos=demos, overrides={"hidden": 8})
    assert begin(job, tmp_path / "run").policy().act(np.zeros(2)).shape == (4,)


def test_cotrained_variants_have_policies_of_their_own(tmp_path: Path) -> None:
    job = make_job("depo", variants=("1", "2"), steps=256, overrides=TINY)
    run = begin(job, tmp_path / "run")
    assert str(run.policy().actions) == "4 finite"
    assert str(run.policy(variant="2").actions) == "8 finite"
