"""Skills I(a|s,s'): the action that leads from a state to a target state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.categorical import Categorical
from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.planner import Gaussian, pick
from depo.models.shapes import PairInput

LOG_STD_BOUNDS = (-20.0, 2.0)


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
    """I between vector states to an action in [−1,1]ⁿ: tanh of a Gaussian.

    ``noise`` is the fixed deviation σ before the tanh when sampling; with None the network
    gives it. The pair (s,s') is seen standardised, as (s, s'−s) or as (s, s'). With several
    ``modes`` the network has as many heads and a gate over them, and the likeliest head acts.

    >>> skill = VectorSkill(jax.random.key(0), Normaliser.none(3), actions=2, hidden=(8,))
    >>> skill.mode(jnp.ones((5, 3)), jnp.zeros((5, 3))).shape
    (5, 2)
    """

    network: MLP
    normaliser: Normaliser
    actions: int = eqx.field(static=True)
    predicts: tuple[int, ...] = eqx.field(static=True)
    noise: float | None = eqx.field(static=True)
    pair_input: PairInput = eqx.field(static=True)
    modes: int = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        actions: int,
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        noise: float | None = 0.3,
        pair_input: PairInput = "difference",
        modes: int = 1,
    ):
        assert modes == 1 or noise is not None, "the heads of a skill have no noise of their own"
        self.normaliser, self.actions, self.noise = normaliser, actions, noise
        self.predicts = tuple(range(normaliser.mean.shape[0]) if predicts is None else predicts)
        self.pair_input, self.modes = pair_input, modes
        outputs = actions if noise is not None else 2 * actions
        if modes > 1:
            outputs = modes * (actions + 1)
        self.network = MLP(key, normaliser.mean.shape[0] + len(self.predicts), hidden, outputs)

    def select(self, state: Float[Array, "*batch features"]) -> Float[Array, "*batch predicts"]:
        """The features a target consists of."""
        return state[..., jnp.array(self.predicts)]

    def before_tanh(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Gaussian:
        """The distribution whose tanh is the action."""
        if self.modes > 1:
            heads, gate = self.heads(state, target)
            likeliest = jnp.argmax(gate, axis=-1)[..., None, None]
            outputs = jnp.take_along_axis(heads, likeliest, axis=-2)[..., 0, :]
        else:
            outputs = self._outputs(state, target)
        if self.noise is None:
            return Gaussian(*split_gaussian(outputs))
        return Gaussian(outputs, jnp.full_like(outputs, jnp.log(self.noise + 1e-12)))

    def heads(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> tuple[Float[Array, "*batch modes actions"], Float[Array, "*batch modes"]]:
        """Every head's output before the tanh, and the gate's logits."""
        outputs = self._outputs(state, target)
        heads, gate = jnp.split(outputs, [self.modes * self.actions], axis=-1)
        return heads.reshape(*gate.shape[:-1], self.modes, self.actions), gate

    def _outputs(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch outputs"]:
        return self.network(
            pair_features(self.normaliser, self.predicts, self.pair_input, state, target)
        )

    def sample(
        self,
        state: Float[Array, "*batch sees"],
        target: Float[Array, "*batch predicts"],
        key: Key[Array, ""],
    ) -> Float[Array, "*batch actions"]:
        """tanh(μ(s,s') + σ·ε)."""
        return jnp.tanh(self.before_tanh(state, target).sample(key))

    def mode(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch actions"]:
        """tanh(μ(s,s'))."""
        return jnp.tanh(self.before_tanh(state, target).mean)


class DiscreteSkill(eqx.Module):
    """I between vector states over finitely many actions, as one-hot vectors: a softmax for each
    choice of an action. The pair (s,s') is seen as by a :class:`VectorSkill`.

    >>> skill = DiscreteSkill(jax.random.key(0), Normaliser.none(3), choices=(4,), hidden=(8,))
    >>> skill.mode(jnp.ones((5, 3)), jnp.zeros((5, 3))).shape
    (5, 4)
    """

    network: MLP
    normaliser: Normaliser
    choices: tuple[int, ...] = eqx.field(static=True)
    predicts: tuple[int, ...] = eqx.field(static=True)
    pair_input: PairInput = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        choices: Sequence[int],
        hidden: Sequence[int],
        predicts: Sequence[int] | None = None,
        pair_input: PairInput = "difference",
    ):
        self.normaliser, self.choices = normaliser, tuple(choices)
        self.predicts = tuple(range(normaliser.mean.shape[0]) if predicts is None else predicts)
        self.pair_input = pair_input
        inputs = normaliser.mean.shape[0] + len(self.predicts)
        self.network = MLP(key, inputs, hidden, sum(self.choices))

    def select(self, state: Float[Array, "*batch features"]) -> Float[Array, "*batch predicts"]:
        """The features a target consists of."""
        return state[..., jnp.array(self.predicts)]

    def distribution(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Categorical:
        """I(·|s,s')."""
        seen = pair_features(self.normaliser, self.predicts, self.pair_input, state, target)
        return Categorical(self.network(seen), self.choices)

    def sample(
        self,
        state: Float[Array, "*batch sees"],
        target: Float[Array, "*batch predicts"],
        key: Key[Array, ""],
    ) -> Float[Array, "*batch actions"]:
        """An action drawn from I."""
        return self.distribution(state, target).sample(key)

    def mode(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch actions"]:
        """The most likely action."""
        return self.distribution(state, target).mode()


def pair_features(
    normaliser: Normaliser,
    predicts: tuple[int, ...],
    pair_input: str,
    state: Float[Array, "*batch sees"],
    target: Float[Array, "*batch predicts"],
) -> Float[Array, "*batch features"]:
    """A pair (s,s') as networks see it: standardised, (s, s'−s) or (s, s')."""
    seen, own = normaliser(state), normaliser.at(predicts)
    reached = own(target)
    if pair_input == "difference":
        reached = own.in_steps(reached - seen[..., jnp.array(predicts)])
    return jnp.concatenate([seen, reached], axis=-1)


def split_gaussian(
    outputs: Float[Array, "*batch both"],
) -> tuple[Float[Array, "*batch half"], Float[Array, "*batch half"]]:
    """Means and bounded log deviations from a network's outputs."""
    mean, log_std = jnp.split(outputs, 2, axis=-1)
    return mean, jnp.clip(log_std, *LOG_STD_BOUNDS)


class AnalyticSkill(eqx.Module):
    """A known formula as skill: nothing is learned, nothing is sampled.

    >>> skill = AnalyticSkill(lambda state, target: target - state)
    >>> skill.mode(jnp.array([1.0]), jnp.array([3.0])).tolist()
    [2.0]
    """

    formula: Callable[[Array, Array], Array] = eqx.field(static=True)
    predicts: tuple[int, ...] | None = eqx.field(static=True, default=None)
    name: str = eqx.field(static=True, default="")
    """Where the function is found again, ``module:function``; empty: nowhere."""
    time_step: float | None = eqx.field(static=True, default=None)
    """Seconds of a step, where the formula was made for it."""

    def select(self, state: Array) -> Array:
        """The features a target consists of; all of them, unless the formula names some."""
        return state if self.predicts is None else state[..., jnp.array(self.predicts)]

    def mode(self, state: Array, target: Array) -> Array:
        """The formula's action."""
        return self.formula(state, target)

    def sample(self, state: Array, target: Array, key: Key[Array, ""]) -> Array:
        """The same: a formula has no spread."""
        del key
        return self.formula(state, target)


Skill = CategoricalSkill | VectorSkill | DiscreteSkill | AnalyticSkill
