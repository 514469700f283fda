"""Skills I(a|s,s'): the action that leads from a state to a target state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.planner import pick


class CategoricalSkill(eqx.Module):
    """I over finitely many actions between finite states, learned.

    >>> skill = CategoricalSkill(jax.random.key(0), states=4, actions=3, hidden=(8,))
    >>> skill.log_probabilities(jnp.array([0]), jnp.array([1])).shape
    (1, 3)
    """

    network: MLP
    states: int = eqx.field(static=True)
    actions: int = eqx.field(static=True)

    def __init__(self, key: Key[Array, ""], states: int, actions: int, hidden: Sequence[int]):
        self.states, self.actions = states, actions
        self.network = MLP(key, 2 * states, hidden, actions)

    def log_probabilities(
        self, state: Int[Array, "*batch"], target: Int[Array, "*batch"]
    ) -> Float[Array, "*batch actions"]:
        """log I(·|s,s') over all actions."""
        return self.log_probabilities_soft(state, jax.nn.one_hot(target, self.states))

    def log_probabilities_soft(
        self, state: Int[Array, "*batch"], target: Float[Array, "*batch states"]
    ) -> Float[Array, "*batch actions"]:
        """The same for a target given as (relaxed) one-hot vector, differentiable in it."""
        inputs = jnp.concatenate([jax.nn.one_hot(state, self.states), target], axis=-1)
        return jax.nn.log_softmax(self.network(inputs))

    def log_prob(
        self,
        state: Int[Array, "*batch"],
        target: Int[Array, "*batch"],
        action: Int[Array, "*batch"],
    ) -> Float[Array, "*batch"]:
        """log I(a|s,s')."""
        return pick(self.log_probabilities(state, target), action)

    def towards_all(self, state: Int[Array, "*batch"]) -> Float[Array, "*batch states actions"]:
        """log I(·|s,s') for every target s'.

        The input is two one-hot vectors, so the first layer is a sum of two of its rows.
        """
        own, target = jnp.split(self.network.weights[0], 2)
        hidden = own[state][..., None, :] + target
        return jax.nn.log_softmax(self.network.after_first_layer(hidden))

    def sample(
        self, state: Int[Array, "*batch"], target: Int[Array, "*batch"], key: Key[Array, ""]
    ) -> Int[Array, "*batch"]:
        """An action drawn from I."""
        return jax.random.categorical(key, self.log_probabilities(state, target))

    def mode(
        self, state: Int[Array, "*batch"], target: Int[Array, "*batch"]
    ) -> Int[Array, "*batch"]:
        """The most likely action."""
        return jnp.argmax(self.log_probabilities(state, target), axis=-1)


class VectorSkill(eqx.Module):
    """I between vector states to a bounded vector action: tanh of a network, plus pre-tanh noise.

    It sees the standardised state and difference; ``noise`` is the fixed standard deviation σ
    before the tanh when sampling.

    >>> skill = VectorSkill(jax.random.key(0), mean=jnp.zeros(3), scale=jnp.ones(3), actions=2,
    ...                     hidden=(8,))
    >>> skill.mode(jnp.ones((5, 3)), jnp.zeros((5, 3))).shape
    (5, 2)
    """

    network: MLP
    mean: Float[Array, " sees"]
    scale: Float[Array, " sees"]
    predicts: tuple[int, ...] = eqx.field(static=True)
    noise: float = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        mean: Float[Array, " sees"],
        scale: Float[Array, " sees"],
        actions: int,
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        noise: float = 0.3,
    ):
        self.mean, self.scale, self.noise = mean, scale, noise
        self.predicts = tuple(range(mean.shape[0]) if predicts is None else predicts)
        self.network = MLP(key, mean.shape[0] + len(self.predicts), hidden, actions)

    def _before_tanh(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch actions"]:
        columns = jnp.array(self.predicts)
        mean, scale = jax.lax.stop_gradient((self.mean, self.scale))
        difference = (target - state[..., columns]) / scale[columns]
        return self.network(jnp.concatenate([(state - mean) / scale, difference], axis=-1))

    def sample(
        self,
        state: Float[Array, "*batch sees"],
        target: Float[Array, "*batch predicts"],
        key: Key[Array, ""],
    ) -> Float[Array, "*batch actions"]:
        """tanh(μ(s,s') + σ·ε)."""
        mu = self._before_tanh(state, target)
        return jnp.tanh(mu + self.noise * jax.random.normal(key, mu.shape))

    def mode(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch actions"]:
        """tanh(μ(s,s'))."""
        return jnp.tanh(self._before_tanh(state, target))


class AnalyticSkill(eqx.Module):
    """A known formula as skill: nothing is learned, nothing is sampled.

    >>> skill = AnalyticSkill(lambda state, target: target - state)
    >>> skill.mode(jnp.array([1.0]), jnp.array([3.0])).tolist()
    [2.0]
    """

    formula: Callable[[Array, Array], Array] = eqx.field(static=True)

    def mode(self, state: Array, target: Array) -> Array:
        """The formula's action."""
        return self.formula(state, target)

    def sample(self, state: Array, target: Array, key: Key[Array, ""]) -> Array:
        """The same: a formula has no spread."""
        del key
        return self.formula(state, target)


Skill = CategoricalSkill | VectorSkill | AnalyticSkill
