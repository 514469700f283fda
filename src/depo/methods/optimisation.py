"""Gradient descent over prepared minibatches, inside the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from depo.core.errors import DepoError
from depo.models.skill import AnalyticSkill

Model = TypeVar("Model", bound=eqx.Module)


class Trained(eqx.Module, Generic[Model]):
    """A model and its optimiser's moments."""

    model: Model
    moments: Any


def fresh(model: Model, optimiser: optax.GradientTransformation) -> Trained[Model]:
    """A model about to be trained."""
    return Trained(model, optimiser.init(eqx.filter(model, eqx.is_inexact_array)))


def follow(old: Model, new: Model, rate: float) -> Model:
    """A model moved towards another by a share: a target network, or a running average."""
    return jax.tree.map(lambda a, b: a + rate * (b - a) if eqx.is_inexact_array(a) else a, old, new)


def replace_skill(agent: dict[str, Trained], skill: Any) -> dict[str, Trained]:
    """The agent with another skill's weights, of the same shape, and its optimiser fresh.

    A formula takes the skill's place whole: it has neither weights nor optimiser.
    """
    if "skill" not in agent:
        raise DepoError("this method has no skill of its own: leave --skill out")
    if isinstance(skill, AnalyticSkill):
        return agent | {"skill": Trained(skill, None)}
    own = agent["skill"].model
    arrays, theirs = (eqx.filter(model, eqx.is_array) for model in (own, skill))
    shapes, wanted = ([tuple(x.shape) for x in jax.tree.leaves(tree)] for tree in (theirs, arrays))
    given, asked = (getattr(model, "pair_input", "") for model in (skill, own))
    if given != asked:
        raise DepoError(
            f"the skill given sees pairs as '{given}', the settings say '{asked}': "
            f"pass --pair-input {given}"
        )
    given, asked = (tuple(getattr(model, "predicts", ())) for model in (skill, own))
    if given != asked:
        raise DepoError(
            f"the skill given goes to the features {given}, what is planned are {asked}: take a "
            "skill trained with the same --plans"
        )
    given, asked = (_units(model) for model in (skill, own))
    if given != asked:
        raise DepoError(
            f"the skill given sees differences in {given}, what it shall follow is in {asked}: "
            "take a skill trained with the planner's --step-units or --preset"
        )
    if type(own) is not type(skill) or shapes != wanted:
        raise DepoError(
            f"the skill given has weights of shapes {shapes}, the settings ask for {wanted}: "
            "set --hidden, --skill-hidden, --skill-depth and --skill-memory as it was trained"
        )
    rest = eqx.filter(own, eqx.is_array, inverse=True)
    filled = jax.tree.unflatten(jax.tree.structure(arrays), jax.tree.leaves(theirs))
    return agent | {"skill": Trained(eqx.combine(filled, rest), agent["skill"].moments)}


def keep_trunk(agent: dict[str, Trained], skill: Any) -> dict[str, Trained]:
    """The agent with all layers but the last of another skill, and the statistics it sees by."""
    own = agent["skill"].model
    if (told := _sees(skill)) != (wanted := _sees(own)):
        raise DepoError(
            f"the skill beside the planner sees {told}, the settings ask for {wanted}: leave "
            "--skill-hidden, --skill-depth, --skill-memory and --pair-input out, or pass "
            "--skill-start fresh"
        )

    def kept(model: Any) -> list[Any]:
        statistics = [model.normaliser] if hasattr(model, "normaliser") else []
        return [*model.network.weights[:-1], *model.network.biases[:-1], *statistics]

    return agent | {"skill": Trained(eqx.tree_at(kept, own, kept(skill)), agent["skill"].moments)}


def _units(skill: Any) -> str:
    """In what a skill measures how far it is to its target."""
    step = getattr(getattr(skill, "normaliser", None), "step", None)
    return "deviations of states" if step is None else "typical steps"


def _sees(skill: Any) -> str:
    """What a trunk has to have in common with another: inputs, layers, and how pairs are seen."""
    shapes = [tuple(weight.shape) for weight in skill.network.weights[:-1]]
    features = getattr(skill, "predicts", ())
    return f"{getattr(skill, 'pair_input', 'states')} {features} by layers of {shapes}"


def descend(
    trained: Trained[Model],
    optimiser: optax.GradientTransformation,
    loss: Callable[[Model, Any], Float[Array, ""]],
    batches: Any,
) -> tuple[Trained[Model], Float[Array, ""]]:
    """One step for each leading entry of ``batches``; returns the mean loss beside the model."""

    def step(trained: Trained[Model], batch: Any) -> tuple[Trained[Model], Float[Array, ""]]:
        value, gradient = eqx.filter_value_and_grad(loss)(trained.model, batch)
        updates, moments = optimiser.update(gradient, trained.moments)
        return Trained(eqx.apply_updates(trained.model, updates), moments), value

    trained, values = jax.lax.scan(step, trained, batches)
    return trained, jnp.mean(values)


def minibatches(
    key: Key[Array, ""], total: int, size: int, epochs: int
) -> Int[Array, "steps size"]:
    """Indices of shuffled minibatches for several passes over ``total`` rows."""
    size = min(size, total)
    count = total // size
    orders = jnp.argsort(jax.random.uniform(key, (epochs, total)))
    return orders[:, : count * size].reshape(epochs * count, size)


def uniform_index(
    key: Key[Array, ""], shape: tuple[int, ...], size: int | Int[Array, ""]
) -> Int[Array, ...]:
    """Whole numbers below ``size`` (< 2²³), one draw each: cheaper to compile than randint."""
    draw = jnp.floor(jax.random.uniform(key, shape) * size).astype(jnp.int32)
    return jnp.minimum(draw, size - 1)
