"""Planners h(s'|s): where would the expert go next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser


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


class Gaussian(NamedTuple):
    """Independent normal distributions."""

    mean: Float[Array, "*batch dimension"]
    log_std: Float[Array, "*batch dimension"]

    def sample(self, key: Key[Array, ""]) -> Float[Array, "*batch dimension"]:
        """A draw, differentiable in mean and deviation."""
        return self.mean + jnp.exp(self.log_std) * jax.random.normal(key, self.mean.shape)

    def log_prob(self, x: Float[Array, "*batch dimension"]) -> Float[Array, "*batch"]:
        """Log density, summed over dimensions."""
        z = (x - self.mean) * jnp.exp(-self.log_std)
        return jnp.sum(-0.5 * z**2 - self.log_std - 0.5 * jnp.log(2 * jnp.pi), axis=-1)


class GaussianPlanner(eqx.Module):
    """h over vectors: a diagonal Gaussian on the difference s'−s, standardised or in steps.

    ``standard`` holds the demonstrations' statistics and travels with the planner; ``predicts``
    are the indices of the features it plans, a subset where others are not ours to move
    (driving). With ``absolute`` the network gives the next state itself; with ``smooth`` the bounds
    of its log deviation are approached and never met.

    >>> planner = GaussianPlanner(jax.random.key(0), Normaliser.none(3), hidden=(8,))
    >>> planner.mode(jnp.ones((5, 3))).shape
    (5, 3)
    """

    network: MLP
    normaliser: Normaliser
    predicts: tuple[int, ...] = eqx.field(static=True)
    log_std_bounds: tuple[float, float] = eqx.field(static=True)
    absolute: bool = eqx.field(static=True)
    smooth: bool = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        log_std_bounds: tuple[float, float] = (-5.0, 1.0),
        absolute: bool = False,
        smooth: bool = False,
    ):
        self.normaliser, self.absolute, self.smooth = normaliser, absolute, smooth
        self.predicts = tuple(range(normaliser.mean.shape[0]) if predicts is None else predicts)
        self.log_std_bounds = log_std_bounds
        self.network = MLP(key, normaliser.mean.shape[0], hidden, 2 * len(self.predicts))

    def distribution(self, state: Float[Array, "*batch sees"]) -> Gaussian:
        """Where the standardised difference is expected."""
        seen = self.normaliser(state)
        mean, log_std = jnp.split(self.network(seen), 2, axis=-1)
        if self.absolute:
            mean = mean - self.select(seen)
        bounded = smooth_clip if self.smooth else jnp.clip
        return Gaussian(mean, bounded(log_std, *self.log_std_bounds))

    def select(self, state: Float[Array, "*batch features"]) -> Float[Array, "*batch predicts"]:
        """The features it plans."""
        return state[..., jnp.array(self.predicts)]

    def difference(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch predicts"]:
        """The standardised difference that leads from s to a target."""
        own = self.normaliser.at(self.predicts)
        return own.in_steps(own(target) - own(self.select(state)))

    def reached(
        self, state: Float[Array, "*batch sees"], difference: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch predicts"]:
        """The state that a standardised difference leads to."""
        own = self.normaliser.at(self.predicts)
        return own.back(own(self.select(state)) + own.of_steps(difference))

    def log_prob(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch"]:
        """log density of the standardised difference that leads from s to s'."""
        return self.distribution(state).log_prob(self.difference(state, next_state))

    def sample(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> Float[Array, "*batch predicts"]:
        """A planned next state, by the reparameterisation s' = h(ε; s)."""
        return self.reached(state, self.distribution(state).sample(key))

    def mode(self, state: Float[Array, "*batch sees"]) -> Float[Array, "*batch predicts"]:
        """The most likely next state."""
        return self.reached(state, self.distribution(state).mean)


def smooth_clip(x: Float[Array, "*any"], low: float, high: float) -> Float[Array, "*any"]:
    """x within bounds that it approaches like a softplus: it never stops learning."""
    below = high - jax.nn.softplus(high - x)
    return low + jax.nn.softplus(below - low)


Planner = CategoricalPlanner | GaussianPlanner


def pick(
    table: Float[Array, "*batch choices"], index: Int[Array, "*batch"]
) -> Float[Array, "*batch"]:
    """The entry of each row with that number."""
    return jnp.take_along_axis(table, index[..., None], axis=-1)[..., 0]
