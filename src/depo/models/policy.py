"""Policies: how a state becomes an action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.core.errors import DepoError
from depo.models.categorical import Categorical
from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, Gaussian, GaussianPlanner, Planner
from depo.models.skill import (
    AnalyticSkill,
    CategoricalSkill,
    DiscreteSkill,
    Skill,
    VectorSkill,
    split_gaussian,
)

COPIES = 3
"""States at once with which a formula is tried."""
CHUNK = 64
"""Finite states whose plans are all looked at, at once: each takes as many rows as there are."""
INSIDE = 0.999
"""The largest action in [−1,1] whose log-density is looked at: recorded ones may be at a bound."""


class Decision(NamedTuple):
    """An action and the state it was meant to reach (−1, or no features, where
    the policy plans nothing)."""

    action: Array
    plan: Array


@runtime_checkable
class PolicyModel(Protocol):
    """What acts inside depo: states as networks see them, actions in [−1,1]ⁿ, one-hot on vector
    states, or numbered on finite ones."""

    def sample(self, state: Array, key: Key[Array, ""]) -> Decision:
        """A random decision."""

    def mode(self, state: Array) -> Decision:
        """The deterministic decision."""


class DecoupledPolicy(eqx.Module):
    """Planner, then skill: ŝ' ~ h(·|s), a ~ I(·|s,ŝ'); or without spread, ŝ' the likeliest.

    On finite states the deterministic action is the likeliest of all plans together, argmax_a
    Σ_s' h(s'|s) I(a|s,s'). Where actions do surely what they do that is the one towards the
    likeliest plan; where one action leads to several states, and several actions to one, a single
    plan says nothing about the action (on slippery ice three of four are as likely).
    """

    planner: Planner
    skill: Skill
    spread: bool = eqx.field(static=True, default=True)

    @property
    def choices(self) -> tuple[int, ...]:
        """Among how many each choice is, where actions on vectors are discrete."""
        return self.skill.choices if isinstance(self.skill, DiscreteSkill) else ()

    def sample(self, state: Array, key: Key[Array, ""]) -> Decision:
        """Sample the plan, then the action."""
        plan_key, action_key = jax.random.split(key)
        plan = self.sample_plan(state, plan_key)
        return Decision(self.skill.sample(state, plan, action_key), plan)

    def sample_plan(self, state: Array, key: Key[Array, ""]) -> Array:
        """A plan: a random one, or without spread the likeliest."""
        return self.planner.sample(state, key) if self.spread else self.planner.mode(state)

    def mode(self, state: Array) -> Decision:
        """The most likely plan, and the most likely action towards it, or of all plans together."""
        plan = self.planner.mode(state)
        if isinstance(self.planner, CategoricalPlanner) and isinstance(
            self.skill, CategoricalSkill
        ):
            return Decision(jnp.argmax(self.log_probabilities(state), axis=-1), plan)
        return Decision(self.skill.mode(state, plan), plan)

    def log_probabilities(self, state: Int[Array, "*batch"]) -> Float[Array, "*batch actions"]:
        """log π(·|s) = log Σ_s' h(s'|s) I(·|s,s') on finite states."""
        planner, skill = self.planner, self.skill
        assert isinstance(planner, CategoricalPlanner)
        assert isinstance(skill, CategoricalSkill)

        def one(state: Int[Array, ""]) -> Float[Array, " actions"]:
            log_h = planner.log_probabilities(state)
            return jax.nn.logsumexp(log_h[:, None] + skill.towards_all(state), axis=0)

        several = jax.lax.map(one, state.reshape(-1), batch_size=CHUNK)
        return several.reshape((*state.shape, skill.actions))

    def sample_log_prob(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> tuple[Float[Array, "*batch actions"], Float[Array, "*batch"], Gaussian]:
        """As an actor: the planner's mode, then a random action of a vector skill."""
        assert isinstance(self.skill, VectorSkill)
        return tanh_sample(self.skill.before_tanh(state, self.planner.mode(state)), key)


def choices_of(policy: PolicyModel, state: Float[Array, "*batch sees"]) -> Categorical | None:
    """π(·|s) where actions are discrete, of a decoupled policy for its likeliest plan; None where
    they are continuous."""
    if isinstance(policy, DiscreteActor):
        return policy.distribution(state)
    if isinstance(policy, DecoupledPolicy) and isinstance(policy.skill, DiscreteSkill):
        return policy.skill.distribution(state, policy.planner.mode(state))
    return None


def check_formula(policy: PolicyModel, actions: int) -> None:
    """Refuse a formula that does not give an action for a state and a plan; runs nothing.

    >>> planner = GaussianPlanner(jax.random.key(0), Normaliser.none(3), (8,))
    >>> skill = AnalyticSkill(lambda state, target: target - state, name="mine:formula")
    >>> check_formula(DecoupledPolicy(planner, skill), 2)
    Traceback (most recent call last):
    depo.core.errors.DepoError: the formula 'mine:formula' gives 3 numbers, an action has 2
    """
    if not isinstance(policy, DecoupledPolicy) or not isinstance(policy.skill, AnalyticSkill):
        return
    planner, skill = policy.planner, policy.skill
    if not isinstance(planner, GaussianPlanner):
        return
    states = planner.normaliser.mean.shape[0]
    several = jax.ShapeDtypeStruct((COPIES, states), jnp.float32)
    try:
        found = jax.eval_shape(lambda state: policy.mode(state).action, several)
        shape, dtype = found.shape, found.dtype
    except DepoError:
        raise
    except Exception as error:  # it is anybody's code
        raise DepoError(
            f"the formula '{skill.name}' fails for {COPIES} states of {states} numbers at once: "
            f"{type(error).__name__}: {error}"
        ) from error
    if len(shape) == 2 and shape[0] == COPIES and shape[1] != actions:
        raise DepoError(
            f"the formula '{skill.name}' gives {shape[1]} numbers, an action has {actions}"
        )
    if shape != (COPIES, actions) or not jnp.issubdtype(dtype, jnp.floating):
        raise DepoError(
            f"the formula '{skill.name}' gives {dtype}{list(shape)} for {COPIES} states at once, "
            f"expected are floats{[COPIES, actions]}, an action for each"
        )


class GaussianActor(eqx.Module):
    """A plain policy π(a|s) on vector states: tanh of a Gaussian, actions in [−1,1]ⁿ.

    >>> actor = GaussianActor(jax.random.key(0), Normaliser.none(3), actions=2, hidden=(8,))
    >>> actor.mode(jnp.ones((5, 3))).action.shape
    (5, 2)
    """

    network: MLP
    normaliser: Normaliser

    def __init__(
        self, key: Key[Array, ""], normaliser: Normaliser, actions: int, hidden: Sequence[int]
    ):
        self.normaliser = normaliser
        self.network = MLP(key, normaliser.mean.shape[0], hidden, 2 * actions)

    def before_tanh(self, state: Float[Array, "*batch sees"]) -> Gaussian:
        """The distribution whose tanh is the action."""
        return Gaussian(*split_gaussian(self.network(self.normaliser(state))))

    def sample_log_prob(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> tuple[Float[Array, "*batch actions"], Float[Array, "*batch"], Gaussian]:
        """An action, log π(a|s), and the distribution before the tanh."""
        return tanh_sample(self.before_tanh(state), key)

    def log_prob(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch"]:
        """log π(a|s) of actions in [−1,1]ⁿ; at a bound, where no density is finite, of one just
        inside."""
        x = jnp.arctanh(jnp.clip(action, -INSIDE, INSIDE))
        return self.before_tanh(state).log_prob(x) - jnp.sum(log_slope(x), axis=-1)

    def sample(self, state: Float[Array, "*batch sees"], key: Key[Array, ""]) -> Decision:
        """A random action; nothing is planned."""
        return Decision(jnp.tanh(self.before_tanh(state).sample(key)), nothing_planned(state))

    def mode(self, state: Float[Array, "*batch sees"]) -> Decision:
        """The action of the mean."""
        return Decision(jnp.tanh(self.before_tanh(state).mean), nothing_planned(state))


class DiscreteActor(eqx.Module):
    """A plain policy π(a|s) on vector states over finitely many actions, as one-hot vectors.

    >>> actor = DiscreteActor(jax.random.key(0), Normaliser.none(3), choices=(4,), hidden=(8,))
    >>> actor.mode(jnp.ones((5, 3))).action.shape
    (5, 4)
    """

    network: MLP
    normaliser: Normaliser
    choices: tuple[int, ...] = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        choices: Sequence[int],
        hidden: Sequence[int],
    ):
        self.normaliser, self.choices = normaliser, tuple(choices)
        self.network = MLP(key, normaliser.mean.shape[0], hidden, sum(self.choices))

    def distribution(self, state: Float[Array, "*batch sees"]) -> Categorical:
        """π(·|s)."""
        return Categorical(self.network(self.normaliser(state)), self.choices)

    def log_prob(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch"]:
        """log π(a|s) of one-hot actions."""
        return self.distribution(state).log_prob(action)

    def sample(self, state: Float[Array, "*batch sees"], key: Key[Array, ""]) -> Decision:
        """An action drawn from π; nothing is planned."""
        return Decision(self.distribution(state).sample(key), nothing_planned(state))

    def mode(self, state: Float[Array, "*batch sees"]) -> Decision:
        """The most likely action."""
        return Decision(self.distribution(state).mode(), nothing_planned(state))


class Quiet(eqx.Module):
    """A policy that leaves out its noise: what it samples is its mean."""

    policy: PolicyModel

    def sample(self, state: Any, key: Key[Array, ""]) -> Decision:
        """The mean, whatever the key."""
        return self.policy.mode(state)

    def mode(self, state: Any) -> Decision:
        """The mean."""
        return self.policy.mode(state)


def tanh_sample(
    before: Gaussian, key: Key[Array, ""]
) -> tuple[Float[Array, "*batch actions"], Float[Array, "*batch"], Gaussian]:
    """a = tanh(x) and its log density, log(1 − tanh²x) in the form that never overflows."""
    x = before.sample(key)
    slope = log_slope(x)  # first: runs of 0.1 are repeated to the last bit
    return jnp.tanh(x), before.log_prob(x) - jnp.sum(slope, axis=-1), before


def log_slope(x: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """log(1 − tanh²x)."""
    return 2.0 * (jnp.log(2.0) - x - jax.nn.softplus(-2.0 * x))


def nothing_planned(state: Float[Array, "*batch sees"]) -> Float[Array, "*batch none"]:
    """The plan of a policy that plans nothing: no features."""
    return jnp.zeros((*state.shape[:-1], 0))


class CategoricalActor(eqx.Module):
    """A plain policy π(a|s) over finite states and actions, as GAIfO, BCO and PPO use."""

    network: MLP
    states: int = eqx.field(static=True)

    def __init__(self, key: Key[Array, ""], states: int, actions: int, hidden: Sequence[int]):
        self.states = states
        self.network = MLP(key, states, hidden, actions, activation="leaky-relu")

    def log_probabilities(self, state: Int[Array, "*batch"]) -> Float[Array, "*batch actions"]:
        """log π(·|s)."""
        return jax.nn.log_softmax(self.network(jax.nn.one_hot(state, self.states)))

    def sample(self, state: Int[Array, "*batch"], key: Key[Array, ""]) -> Decision:
        """An action drawn from π."""
        action = jax.random.categorical(key, self.log_probabilities(state))
        return Decision(action, jnp.full_like(action, -1))

    def mode(self, state: Int[Array, "*batch"]) -> Decision:
        """The most likely action."""
        action = jnp.argmax(self.log_probabilities(state), axis=-1)
        return Decision(action, jnp.full_like(action, -1))
