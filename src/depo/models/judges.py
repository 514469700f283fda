"""Networks that judge: the critics V(s) and Q(s,a), the discriminator D(s,s')."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.skill import pair_features
from depo.models.standard import Standard


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


class Scalar(eqx.Module):
    """One number that is learned or followed."""

    value: Float[Array, ""]


class TwinCritic(eqx.Module):
    """Two independent Q(s,a) on vectors; the lesser of the two is believed."""

    networks: tuple[MLP, MLP]
    standard: Standard

    def __init__(
        self,
        key: Key[Array, ""],
        standard: Standard,
        actions: int,
        hidden: Sequence[int],
        normalise: bool,
    ):
        self.standard = standard
        inputs = standard.mean.shape[0] + actions
        first, second = jax.random.split(key)
        self.networks = (
            MLP(first, inputs, hidden, 1, normalise=normalise),
            MLP(second, inputs, hidden, 1, normalise=normalise),
        )

    def __call__(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "both=2 *batch"]:
        """Both values of each state and action."""
        seen = jnp.concatenate([self.standard(state), action], axis=-1)
        return jnp.stack([network(seen)[..., 0] for network in self.networks])

    def least(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch"]:
        """min(Q₁,Q₂)."""
        return jnp.min(self(state, action), axis=0)


class VectorDiscriminator(eqx.Module):
    """The logit of D(s,s') on vectors: positive means the transition looks expert."""

    network: MLP
    standard: Standard
    predicts: tuple[int, ...] = eqx.field(static=True)
    pair_input: str = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        standard: Standard,
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        pair_input: str = "difference",
    ):
        self.standard, self.pair_input = standard, pair_input
        self.predicts = tuple(range(standard.mean.shape[0]) if predicts is None else predicts)
        inputs = standard.mean.shape[0] + len(self.predicts)
        self.network = MLP(key, inputs, hidden, 1, activation="tanh")

    def features(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch sees"]
    ) -> Float[Array, "*batch features"]:
        """A transition as the network sees it."""
        target = next_state[..., jnp.array(self.predicts)]
        return pair_features(self.standard, self.predicts, self.pair_input, state, target)

    def logit(self, features: Float[Array, "*batch features"]) -> Float[Array, "*batch"]:
        """The logit from features."""
        return self.network(features)[..., 0]

    def __call__(
        self, state: Float[Array, "*batch sees"], next_state: Float[Array, "*batch sees"]
    ) -> Float[Array, "*batch"]:
        """The logit of each transition."""
        return self.logit(self.features(state, next_state))
