"""Planners h(s'|s): where would the expert go next."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP


class CategoricalPlanner(eqx.Module):
    """h over a finite set of states, numbered from 0.

    >>> planner = CategoricalPlanner(jax.random.key(0), states=4, hidden=(8,))
    >>> planner.log_probabilities(jnp.array([1, 2])).shape
    (2, 4)
    """

    network: MLP
    states: int = eqx.field(static=True)

    def __init__(self, key: Key[Array, ""], states: int, hidden: Sequence[int]):
        self.states = states
        self.network = MLP(key, states, hidden, states)

    def log_probabilities(self, state: Int[Array, "*batch"]) -> Float[Array, "*batch states"]:
        """log h(·|s) over all next states."""
        logits = self.network(jax.nn.one_hot(state, self.states))
        return jax.nn.log_softmax(logits)

    def log_prob(
        self, state: Int[Array, "*batch"], next_state: Int[Array, "*batch"]
    ) -> Float[Array, "*batch"]:
        """log h(s'|s)."""
        return pick(self.log_probabilities(state), next_state)

    def sample(self, state: Int[Array, "*batch"], key: Key[Array, ""]) -> Int[Array, "*batch"]:
        """A next state drawn from h."""
        return jax.random.categorical(key, self.log_probabilities(state))

    def mode(self, state: Int[Array, "*batch"]) -> Int[Array, "*batch"]:
        """The most likely next state."""
        return jnp.argmax(self.log_probabilities(state), axis=-1)


class GaussianPlanner(eqx.Module):
    """h over vectors: a diagonal Gaussian on the standardised difference s'−s.

    ``mean`` and ``scale`` are the demonstrations' statistics and travel with the planner;
    ``predicts`` are the indices of the features it plans, a subset where others are not ours
    to move (driving).

    >>> planner = GaussianPlanner(jax.random.key(0), mean=jnp.zeros(3), scale=jnp.ones(3),
    ...                           hidden=(8,))
    >>> planner.mode(jnp.ones((5, 3))).shape
    (5, 3)
    """

    network: MLP
    mean: Float[Array, " sees"]
    scale: Float[Array, " sees"]
    predicts: tuple[int, ...] = eqx.field(static=True)
    log_std_bounds: tuple[float, float] = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        mean: Float[Array, " sees"],
        scale: Float[Array, " sees"],
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        log_std_bounds: tuple[float, float] = (-5.0, 1.0),
    ):
        self.mean, self.scale = mean, scale
        self.predicts = tuple(range(mean.shape[0]) if predicts is None else predicts)
        self.log_std_bounds = log_std_bounds
        self.network = MLP(key, mean.shape[0], hidden, 2 * len(self.predicts))

    def _difference(
        self, state: Float[Array, "*batch sees"]
    ) -> tuple[Float[Array, "*batch predicts"], Float[Array, "*batch predicts"]]:
        """Mean and log standard deviation of the standardised difference."""
        mean, scale = jax.lax.stop_gradient((self.mean, self.scale))
        mu, log_std = jnp.split(self.network((state - mean) / scale), 2, axis=-1)
        return mu, jnp.clip(log_std, *self.log_std_bounds)

    def _reached(
        self, state: Float[Array, "*batch sees"], difference: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch predicts"]:
        columns = jnp.array(self.predicts)
        scale = jax.lax.stop_gradient(self.scale)[columns]
        return state[..., columns] + difference * scale

    def log_prob(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch"]:
        """log density of the standardised difference that leads from s to s'."""
        columns = jnp.array(self.predicts)
        scale = jax.lax.stop_gradient(self.scale)[columns]
        mu, log_std = self._difference(state)
        z = ((next_state - state[..., columns]) / scale - mu) * jnp.exp(-log_std)
        return jnp.sum(-0.5 * z**2 - log_std - 0.5 * jnp.log(2 * jnp.pi), axis=-1)

    def sample(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> Float[Array, "*batch predicts"]:
        """A planned next state, by the reparameterisation s' = h(ε; s)."""
        mu, log_std = self._difference(state)
        noise = jax.random.normal(key, mu.shape)
        return self._reached(state, mu + jnp.exp(log_std) * noise)

    def mode(self, state: Float[Array, "*batch sees"]) -> Float[Array, "*batch predicts"]:
        """The most likely next state."""
        return self._reached(state, self._difference(state)[0])


Planner = CategoricalPlanner | GaussianPlanner


def pick(
    table: Float[Array, "*batch choices"], index: Int[Array, "*batch"]
) -> Float[Array, "*batch"]:
    """The entry of each row with that number."""
    return jnp.take_along_axis(table, index[..., None], axis=-1)[..., 0]
