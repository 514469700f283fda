"""What the consistency takes for right: an action that does the same."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from depo.losses import forward_consistency
from depo.models.following_planner import FollowingPlanner
from depo.models.forward import Forward
from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.skill import VectorSkill

KEY = jax.random.key(0)
PLAIN = Normaliser.none(1)


def test_an_action_is_judged_by_what_it_does() -> None:
    """Two motors that add up: which of them moves is all the same."""
    network = MLP(KEY, 3, (), 1)
    weights = (jnp.array([[0.0], [1.0], [1.0]]), jnp.zeros(1))
    network = eqx.tree_at(lambda n: (n.weights[0], n.biases[0]), network, weights)
    forward = Forward(network, jnp.ones(1))
    skill = VectorSkill(KEY, PLAIN, 2, ())
    output = (jnp.zeros((2, 2)), jnp.arctanh(jnp.array([0.5, -0.2])))
    skill = eqx.tree_at(lambda n: (n.network.weights[0], n.network.biases[0]), skill, output)
    planner = FollowingPlanner(KEY, PLAIN, (), jnp.zeros((2, 1)), jnp.array(2))
    state = jnp.zeros((4, 1))
    for reached, expected in ((0.3, 0.0), (0.5, 0.04)):
        found = forward_consistency.consistency(
            skill, forward, planner, state, state + reached, state + 9.0
        )
        assert float(found) == pytest.approx(expected, abs=1e-6)
