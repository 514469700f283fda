"""Methods of other packages, with models of their own and mistakes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from jaxtyping import Array, Float, Key

import depo
from depo.core.errors import DepoError
from depo.methods import registry
from depo.methods.imo import OffPolicyIMO
from depo.methods.method import Agent, Method, Metrics
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.optimisation import Trained, fresh
from depo.methods.registry import Implementation, MethodSpec, register
from depo.models.planner import GaussianPlanner
from depo.models.policy import Decision, DecoupledPolicy
from depo.models.skill import VectorSkill
from depo.testing import check_method
from tests.environments.point import ID, straight_demonstrations

SMALL = {
    "batch_steps": 20,
    "copies": 2,
    "random_steps": 20,
    "evaluate_every": 1,
    "checkpoint_every": 1,
    "minibatch": 4,
    "demo_episodes": 2,
    "updates_per_step": 0.1,
}


@dataclass(frozen=True)
class Theirs(OffPolicyIMO):
    """A stranger's settings."""


class Linear(eqx.Module):
    """A policy of a class of its own."""

    matrix: Array

    def mode(self, state: Float[Array, "*batch sees"]) -> Decision:
        return Decision(jnp.tanh(state @ self.matrix), jnp.zeros((*state.shape[:-1], 0)))

    def sample(self, state: Float[Array, "*batch sees"], key: Key[Array, ""]) -> Decision:
        return self.mode(state)


class Derived(GaussianPlanner):
    """Plans otherwise than the class that it is derived from."""

    def mode(self, state: Float[Array, "*batch sees"]) -> Float[Array, "*batch sees"]:
        return state


@dataclass(frozen=True)
class Plain(Method):
    """Pulls its matrix to zero."""

    settings: Any
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        matrix = jax.random.normal(key, (shape.normaliser.mean.shape[0], shape.actions))
        return {"own": fresh(Linear(matrix), optax.sgd(0.1))}

    def policy(self, agent: Agent) -> Any:
        return agent["own"].model

    def update(self, agent: Agent, *data: Any) -> tuple[Agent, Metrics]:
        own = agent["own"]
        changed = Linear(0.9 * own.model.matrix)
        return agent | {"own": Trained(changed, own.moments)}, {"own_size": jnp.ones(())}


@dataclass(frozen=True)
class Planning(Plain):
    """Acts by a planner of a class of its own."""

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        planner = Derived(key, shape.normaliser, (4,))
        skill = VectorSkill(key, shape.normaliser, shape.actions, (4,))
        return {"planner": Trained(planner, None), "skill": Trained(skill, None)}

    def policy(self, agent: Agent) -> Any:
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def update(self, agent: Agent, *data: Any) -> tuple[Agent, Metrics]:
        return agent, {}


@dataclass(frozen=True)
class Growing(Plain):
    """Its agent has another part after an update."""

    def update(self, agent: Agent, *data: Any) -> tuple[Agent, Metrics]:
        return agent | {"more": agent["own"]}, {}


@dataclass(frozen=True)
class Diverging(Plain):
    """Its weights are no numbers after an update."""

    def update(self, agent: Agent, *data: Any) -> tuple[Agent, Metrics]:
        return jax.tree.map(lambda x: x * jnp.nan, agent), {}


@dataclass(frozen=True)
class Misshapen(Plain):
    """Gives an action too many numbers."""

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        return {"own": fresh(Linear(jnp.ones((shape.normaliser.mean.shape[0], 7))), optax.sgd(0.1))}


@dataclass(frozen=True)
class Named(Plain):
    """Calls a metric as a score is called."""

    def update(self, agent: Agent, *data: Any) -> tuple[Agent, Metrics]:
        return agent, {"return": jnp.ones(())}


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Registers a method and says what is trained."""
    known = dict(registry.methods())
    monkeypatch.setattr(registry, "_methods", known)
    demos = straight_demonstrations(tmp_path / "demos.npz")

    def registered(build: Any) -> dict[str, Any]:
        register(MethodSpec("theirs", "Theirs.", {"off-policy": Implementation(Theirs, build)}))
        return {"env": ID, "demos": str(demos), "steps": 60, "overrides": SMALL}

    return registered


def test_a_policy_of_a_class_of_its_own_resumes_and_acts(job, tmp_path: Path) -> None:
    run = check_method("theirs", tmp_path / "runs", **job(Plain))
    assert not (run.path / "policy").exists()  # no folder can hold it
    assert run.metrics()[-1]["own_size"] == 1.0


def test_a_planner_that_computes_otherwise_is_not_saved_as_its_base(job, tmp_path: Path) -> None:
    run = depo.train("theirs", out=tmp_path / "run", progress=False, **job(Planning))
    assert run.is_finished()
    assert not (run.path / "planner").exists()
    assert (run.path / "skill" / "seed-0").is_dir()
    assert run.policy().plan([0.5, 0.5]).tolist() == [0.5, 0.5]
    with pytest.raises(DepoError, match="of the class Derived has no folder"):
        depo.save_planner(tmp_path / "planner", run.policy().model.planner)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (Growing, r"method 'theirs' failed: .*the same pytree structure"),
        (Diverging, "the policy gives actions that are no numbers: training diverged"),
        (Misshapen, r"'theirs' gives actions of the shape \(\d+, 7\) .* expected is \(\d+, 2\)"),
        (Named, "method 'theirs' calls a metric of its update 'return'"),
    ],
)
def test_what_it_does_wrong_is_said(job, tmp_path: Path, build: Any, said: str) -> None:
    with pytest.raises(DepoError, match=said):
        depo.train("theirs", out=tmp_path / "run", progress=False, **job(build))
