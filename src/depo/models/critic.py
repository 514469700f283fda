"""Critics: V(s) on finite states, twin Q(s,a) on vectors."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser


class Critic(eqx.Module):
    """V(s) on finite states."""

    network: MLP
    states: int = eqx.field(static=True)

    def __init__(self, key: Key[Array, ""], states: int, hidden: Sequence[int]):
        self.states = states
        self.network = MLP(key, states, hidden, 1, activation="leaky-relu")

    def __call__(self, state: Int[Array, "*batch"]) -> Float[Array, "*batch"]:
        """The value of each state."""
        return self.network(jax.nn.one_hot(state, self.states))[..., 0]


class TwinCritic(eqx.Module):
    """Two independent Q(s,a) on vectors; the lesser of the two is believed."""

    networks: tuple[MLP, MLP]
    normaliser: Normaliser

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        actions: int,
        hidden: Sequence[int],
        normalise: bool,
    ):
        self.normaliser = normaliser
        inputs = normaliser.mean.shape[0] + actions
        first, second = jax.random.split(key)
        self.networks = (
            MLP(first, inputs, hidden, 1, normalise=normalise),
            MLP(second, inputs, hidden, 1, normalise=normalise),
        )

    def __call__(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "both=2 *batch"]:
        """Both values of each state and action."""
        seen = jnp.concatenate([self.normaliser(state), action], axis=-1)
        return jnp.stack([network(seen)[..., 0] for network in self.networks])

    def least(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch"]:
        """min(Q₁,Q₂)."""
        return jnp.min(self(state, action), axis=0)

    def least_of_each(
        self, state: Float[Array, "*batch sees"], every: np.ndarray
    ) -> Float[Array, "*batch combinations"]:
        """min(Q₁,Q₂) of all actions there are (combinations, length)."""
        shape = (*state.shape[:-1], len(every))
        states = jnp.broadcast_to(state[..., None, :], (*shape, state.shape[-1]))
        return self.least(states, jnp.broadcast_to(jnp.asarray(every), (*shape, every.shape[-1])))
