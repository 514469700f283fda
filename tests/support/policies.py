"""Policies of every kind that is exported, untrained: small, with statistics that matter."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from depo.models.acting import Policy, Space
from depo.models.card import Origin
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.policy import (
    CategoricalActor,
    DecoupledPolicy,
    DiscreteActor,
    GaussianActor,
    PolicyModel,
)
from depo.models.skill import CategoricalSkill, DiscreteSkill, VectorSkill

KEY = jax.random.key(3)
HIDDEN = (16, 16)
BOX = Space.box(np.array([-3.0, 0.0], np.float32), np.array([5.0, 1.0], np.float32))
FEATURES = ("x", "y", "z", "w")
CELLS = 7


def statistics(clip: float = 0.0, steps: bool = False, twice: bool = False) -> Normaliser:
    step = jnp.array([0.1, 0.3, 0.2, 0.5]) if steps else None
    own = Normaliser(jnp.array([0.5, -1.0, 2.0, 0.0]), jnp.array([1.0, 2.0, 0.5, 3.0]), clip, step)
    return own.twice() if twice else own


def on_vectors(model: PolicyModel, actions: Space = BOX, remembers: bool = False) -> Policy:
    origin = Origin(environment="point-v0", method="depo", features=FEATURES, seed=2)
    space = Space.vector(len(FEATURES))
    return Policy(model, observations=space, actions=actions, remembers=remembers, origin=origin)


def continuous(**changes) -> Policy:
    """Planner and skill; ``changes`` are of the skill."""
    planner = GaussianPlanner(KEY, statistics(), HIDDEN)
    return on_vectors(
        DecoupledPolicy(planner, VectorSkill(KEY, statistics(), 2, HIDDEN, **changes))
    )


def in_part() -> Policy:
    """Some features are planned, in steps and as states themselves, within a clip; with memory."""
    planner = GaussianPlanner(KEY, statistics(1.0, True), HIDDEN, predicts=(0, 2), absolute=True)
    own = statistics(1.0, True, twice=True)
    skill = VectorSkill(KEY, own, 2, HIDDEN, predicts=(0, 2))
    return on_vectors(DecoupledPolicy(planner, skill), remembers=True)


def choosing() -> Policy:
    """Discrete actions, two choices of which the first counts from 1."""
    actions = Space.of_choices((3, 2), np.array([1, 0]), (2,))
    planner = GaussianPlanner(KEY, statistics(), HIDDEN)
    skill = DiscreteSkill(KEY, statistics(), (3, 2), HIDDEN)
    return on_vectors(DecoupledPolicy(planner, skill), actions)


def choosing_actor() -> Policy:
    """One choice, as CartPole has, without a planner."""
    actions = Space.of_choices((2,), np.array(0), ())
    return on_vectors(DiscreteActor(KEY, statistics(), (2,), HIDDEN), actions)


def finite() -> Policy:
    """A grid world's."""
    planner, skill = CategoricalPlanner(KEY, CELLS, HIDDEN), CategoricalSkill(KEY, CELLS, 4, HIDDEN)
    sharp = jax.tree.map(lambda x: 5.0 * x, DecoupledPolicy(planner, skill))  # plans differ
    model = decided(sharp)
    return Policy(model, observations=Space.finite(CELLS), actions=Space.finite(4))


def decided(model: PolicyModel) -> PolicyModel:
    """No biases, so that different states have different actions."""
    return jax.tree.map(lambda x: x if x.ndim == 2 else 0.0 * x, model)


def finite_actor() -> Policy:
    model = decided(CategoricalActor(jax.random.key(2), CELLS, 4, HIDDEN))
    return Policy(model, observations=Space.finite(CELLS), actions=Space.finite(4))


EVERY: dict[str, Callable[[], Policy]] = {
    "continuous": continuous,
    "states": lambda: continuous(pair_input="states", noise=None),
    "heads": lambda: continuous(modes=3),
    "in-part": in_part,
    "actor": lambda: on_vectors(GaussianActor(KEY, statistics(5.0), 2, HIDDEN)),
    "choices": choosing,
    "choosing-actor": choosing_actor,
    "finite": finite,
    "finite-actor": finite_actor,
}


def states_of(policy: Policy, count: int = 10_000) -> np.ndarray:
    """Random states as networks see them, some far off."""
    generator = np.random.default_rng(0)
    if policy.observations.count is not None:
        return generator.integers(policy.observations.count, size=count)
    size = len(FEATURES) * (1 + policy.remembers)
    return (3.0 * generator.normal(size=(count, size))).astype(np.float32)


def by_jax(policy: Policy, states: np.ndarray) -> np.ndarray:
    """Actions as the compiled model gives them, in the environment's units."""
    return policy._own_units(policy._act(jnp.asarray(states)), states, single=False)
