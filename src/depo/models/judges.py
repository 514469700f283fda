"""Networks that judge: the critic V(s) and the discriminator D(s,s')."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP


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


class Discriminator(eqx.Module):
    """The logit of D(s,s') on finite states: positive means the transition looks expert."""

    network: MLP
    states: int = eqx.field(static=True)

    def __init__(self, key: Key[Array, ""], states: int, hidden: Sequence[int]):
        self.states = states
        self.network = MLP(key, 2 * states, hidden, 1, activation="leaky-relu")

    def __call__(
        self, state: Int[Array, "*batch"], next_state: Int[Array, "*batch"]
    ) -> Float[Array, "*batch"]:
        """The logit of each transition."""
        one_hot = [jax.nn.one_hot(s, self.states) for s in (state, next_state)]
        return self.network(jnp.concatenate(one_hot, axis=-1))[..., 0]
