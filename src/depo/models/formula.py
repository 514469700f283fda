"""A user's formula as a skill: compiled if it is JAX, called from compiled code if it is NumPy.

Either takes states and targets with any axes before the last, and gives actions in units in which
the action space is [−1,1]ⁿ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.core.errors import DepoError
from depo.models.planner import GaussianPlanner

Formula = Callable[[Any, Any], Any]
STEP = 1e-4
"""By how much a NumPy formula's arguments are moved for its derivative, in units of themselves."""
TRIED, FAR = 64, 10.0
"""How many states a range is tried with, and the action that is of other units beyond doubt."""


@dataclass(frozen=True)
class Bounded:
    """A formula whose actions are bounded by ±1, as all actions are here.

    >>> by_numpy = Bounded(lambda state, target: np.asarray(target) - np.asarray(state), "mine:f")
    >>> jax.jit(by_numpy)(jnp.array([0.0, 0.0]), jnp.array([0.5, 9.0])).tolist()
    [0.5, 1.0]
    """

    formula: Formula
    name: str

    def __call__(self, state: jax.Array, target: jax.Array) -> jax.Array:
        """The action."""
        return jnp.clip(self.unbounded(state, target), -1.0, 1.0)

    def unbounded(self, state: jax.Array, target: jax.Array) -> jax.Array:
        """What the formula itself gives."""
        try:
            return jnp.asarray(self.formula(state, target))
        except TypeError:  # JAX's word for arrays that NumPy cannot take, or change in place
            return _by_numpy(self.formula, state, target)


def check_range(
    formula: Bounded, state: Float[Array, "rows sees"], target: Float[Array, "rows predicts"]
) -> None:
    """Refuse actions that are no numbers, or of other units, between states an expert knows."""
    actions = np.abs(np.asarray(formula.unbounded(state, target), np.float64))
    wrong = np.isnan(actions).all(axis=0)
    if wrong.any():
        raise DepoError(
            f"the formula '{formula.name}' gives NaN in dimension {int(np.argmax(wrong))} of every "
            f"action, for {len(actions)} transitions: give numbers between -1 and 1"
        )
    typical = np.nanmedian(actions, axis=0)
    worst = int(np.argmax(typical))
    if typical[worst] > FAR:
        raise DepoError(
            f"the formula '{formula.name}' gives actions of about {typical[worst]:.3g} in "
            f"dimension {worst}, which are cut to [-1, 1]: other units? -1 is the lower bound of "
            "the action space and 1 the upper"
        )


def plans_around_mean(
    planner: GaussianPlanner,
) -> tuple[Float[Array, "rows sees"], Float[Array, "rows predicts"]]:
    """States drawn around the mean a planner knows, and what it plans there."""
    own = planner.normaliser
    draws = np.random.default_rng(0).standard_normal((TRIED, own.mean.shape[0]))
    state = own.back(jnp.asarray(draws, jnp.float32))
    return state, planner.mode(state)


def _by_numpy(formula: Formula, state: jax.Array, target: jax.Array) -> jax.Array:
    """A formula that JAX cannot compile, called from inside compiled code; its derivative is taken
    by central differences, so that planners can learn through it."""

    def call(state: Any, target: Any) -> np.ndarray:
        own = (np.asarray(x, np.float64) for x in (state, target))
        return np.asarray(formula(*own), np.float64)

    def single(state: Any, target: Any) -> np.ndarray:
        return call(state, target).astype(np.float32)

    tried = single(np.zeros(state.shape), np.zeros(target.shape))
    result = jax.ShapeDtypeStruct(tried.shape, tried.dtype)

    def pulled_back(state: Any, target: Any, weight: Any) -> tuple[np.ndarray, np.ndarray]:
        weight = np.asarray(weight)
        return (
            _derivative(lambda x: call(x, target), np.asarray(state), weight),
            _derivative(lambda x: call(state, x), np.asarray(target), weight),
        )

    @jax.custom_vjp
    def outside(state: jax.Array, target: jax.Array) -> jax.Array:
        return jax.pure_callback(single, result, state, target, vmap_method="broadcast_all")

    def forward(state: jax.Array, target: jax.Array) -> Any:
        return outside(state, target), (state, target)

    def backward(known: tuple[jax.Array, jax.Array], weight: jax.Array) -> Any:
        shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in known)
        return jax.pure_callback(pulled_back, shapes, *known, weight, vmap_method="broadcast_all")

    outside.defvjp(forward, backward)
    return outside(state, target)


def _derivative(f: Callable[[Any], np.ndarray], x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Σ_a weight_a ∂f_a/∂x, feature by feature of x."""
    found = np.zeros_like(x)
    for feature in range(x.shape[-1]):
        step = np.zeros(x.shape)
        step[..., feature] = STEP * np.maximum(np.abs(x[..., feature]), 1.0)
        slope = (f(x + step) - f(x - step)) / (2.0 * step[..., feature : feature + 1])
        found[..., feature] = np.sum(weight * slope, axis=-1)
    return found
