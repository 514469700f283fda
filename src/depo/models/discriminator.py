"""The discriminator D(s,s'), or D(s,a): does this transition look like the expert's."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.skill import pair_features


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


class VectorDiscriminator(eqx.Module):
    """The logit of D(s,s') on vectors: positive means the transition looks expert."""

    network: MLP
    normaliser: Normaliser
    predicts: tuple[int, ...] = eqx.field(static=True)
    pair_input: str = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        pair_input: str = "difference",
    ):
        self.normaliser, self.pair_input = normaliser, pair_input
        self.predicts = tuple(range(normaliser.mean.shape[0]) if predicts is None else predicts)
        inputs = normaliser.mean.shape[0] + len(self.predicts)
        self.network = MLP(key, inputs, hidden, 1, activation="tanh")

    def features(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch sees"]
    ) -> Float[Array, "*batch features"]:
        """A transition as the network sees it."""
        target = next_state[..., jnp.array(self.predicts)]
        return pair_features(self.normaliser, self.predicts, self.pair_input, state, target)

    def logit(self, features: Float[Array, "*batch features"]) -> Float[Array, "*batch"]:
        """The logit from features."""
        return self.network(features)[..., 0]

    def __call__(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch sees"]
    ) -> Float[Array, "*batch"]:
        """The logit of each transition."""
        return self.logit(self.features(state, next_state))


class ActionDiscriminator(eqx.Module):
    """The logit of D(s,a) on vectors: positive means the action looks expert in that state."""

    network: MLP
    normaliser: Normaliser

    def __init__(
        self, key: Key[Array, ""], normaliser: Normaliser, actions: int, hidden: Sequence[int]
    ):
        self.normaliser = normaliser
        inputs = normaliser.mean.shape[0] + actions
        self.network = MLP(key, inputs, hidden, 1, activation="tanh")

    def features(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch features"]:
        """State and action as the network sees them."""
        return jnp.concatenate([self.normaliser(state), action], axis=-1)

    def logit(self, features: Float[Array, "*batch features"]) -> Float[Array, "*batch"]:
        """The logit from features."""
        return self.network(features)[..., 0]

    def __call__(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch"]:
        """The logit of each state and action."""
        return self.logit(self.features(state, action))


AnyDiscriminator = VectorDiscriminator | ActionDiscriminator
"""On vectors, of (s,s') or of (s,a)."""


class StatePotential(eqx.Module):
    """φ(s) on vectors: higher where the expert goes."""

    network: MLP
    normaliser: Normaliser

    def __init__(self, key: Key[Array, ""], normaliser: Normaliser, hidden: Sequence[int]):
        self.normaliser = normaliser
        self.network = MLP(key, normaliser.mean.shape[0], hidden, 1, activation="tanh")

    def logit(self, features: Float[Array, "*batch sees"]) -> Float[Array, "*batch"]:
        """φ from standardised states."""
        return self.network(features)[..., 0]

    def __call__(self, state: Float[Array, "*batch sees"]) -> Float[Array, "*batch"]:
        """φ of each state."""
        return self.logit(self.normaliser(state))
