"""A reward of states that was learned, with the potential that shaped it: AIRL's."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser


class StateReward(eqx.Module):
    """g(s), what a state is worth whatever the dynamics are, and a potential h(s) beside it, which
    takes what the dynamics make of it: f(s,s') = g(s) + γ h(s') − h(s).

    >>> reward = StateReward(jax.random.key(0), Normaliser.none(3), (8,), gamma=0.99)
    >>> reward(jnp.ones((5, 3))).shape
    (5,)
    """

    network: MLP
    potential: MLP
    normaliser: Normaliser
    gamma: float = eqx.field(static=True)

    def __init__(
        self, key: Key[Array, ""], normaliser: Normaliser, hidden: Sequence[int], gamma: float
    ):
        self.normaliser, self.gamma = normaliser, gamma
        own, other = jax.random.split(key)
        sees = normaliser.mean.shape[0]
        self.network = MLP(own, sees, hidden, 1, activation="tanh")
        self.potential = MLP(other, sees, hidden, 1, activation="tanh")

    def __call__(self, state: Float[Array, "*batch sees"]) -> Float[Array, "*batch"]:
        """g(s): what other dynamics are given."""
        return self.network(self.normaliser(state))[..., 0]

    def features(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch sees"]
    ) -> Float[Array, "*batch features"]:
        """A transition as both networks see it."""
        return jnp.concatenate([self.normaliser(state), self.normaliser(next_state)], axis=-1)

    def logit(self, features: Float[Array, "*batch features"]) -> Float[Array, "*batch"]:
        """f from features."""
        state, next_state = jnp.split(features, 2, axis=-1)
        after, before = (self.potential(x)[..., 0] for x in (next_state, state))
        return self.network(state)[..., 0] + self.gamma * after - before

    def shaped(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch sees"]
    ) -> Float[Array, "*batch"]:
        """f(s,s'): has the same best policies as g, and is easier to learn from."""
        return self.logit(self.features(state, next_state))
