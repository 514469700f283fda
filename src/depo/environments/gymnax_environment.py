"""Environments in the manner of gymnax as ours: pure functions, actions in [−1,1]ⁿ or one-hot.

reset(key[, params]) → observation, state
step(key, state, action[, params]) → observation, state, reward, done, information
"""

from __future__ import annotations

import inspect
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import keystr, tree_leaves_with_path
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import TIME_LIMIT
from depo.environments.jax_environment import TRUNCATED, JaxEnvironment

Stepped = tuple[Float[Array, " sees"], PyTree, Float[Array, ""], Bool[Array, ""], dict[str, Any]]


class GymnaxEnvironment(eqx.Module):
    """One copy; ``low`` and ``high`` are the bounds of actions in the environment's own units, if
    these are no choice among finitely many.

    gymnax begins the next episode inside ``step``, and the last observation is lost; its
    ``step_env`` does not, and is used where there is one.
    """

    environment: Any
    params: PyTree
    low: tuple[float, ...] = eqx.field(static=True)
    high: tuple[float, ...] = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True)
    choices: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, environment: Any, params: PyTree = None):
        default = getattr(environment, "default_params", None)
        self.environment, self.params = environment, default if params is None else params
        space = _action_space(environment, self.params)
        count = None if getattr(space, "shape", ()) else getattr(space, "n", None)
        self.choices = () if count is None else (int(count),)
        low, high = (np.zeros(count), np.ones(count)) if count else _bounds(environment, space)
        self.shape = low.shape
        self.low, self.high = (tuple(bound.ravel().tolist()) for bound in (low, high))

    @property
    def actions(self) -> int:
        """How many numbers an action has."""
        return len(self.low)

    def feature_names(self) -> tuple[str, ...]:
        """Names of the numbers of several parts (``goal.x0``); of one array none."""
        seen, _ = jax.eval_shape(
            lambda key: _call(self.environment, "reset", self.params, key), jax.random.key(0)
        )
        return tuple(
            f"{keystr(way, simple=True, separator='.')}.x{i}"
            for way, part in tree_leaves_with_path(seen)
            if way
            for i in range(part.size)
        )

    def reset(self, key: Key[Array, ""]) -> tuple[Float[Array, " sees"], PyTree]:
        """(observation, state) at the start of an episode."""
        observation, state = _call(self.environment, "reset", self.params, key)
        return _flat(observation), state

    def step(self, state: PyTree, action: Float[Array, " actions"], key: Key[Array, ""]) -> Stepped:
        """Of the information, only whether the episode was cut."""
        own = jnp.argmax(action) if self.choices else self._own_units(action)
        observation, state, reward, done, about = _call(
            self.environment, "step", self.params, key, state, own
        )
        cut = jnp.asarray(about.get(TRUNCATED, False), bool)
        done = jnp.asarray(done, bool) | cut
        return _flat(observation), state, jnp.asarray(reward, jnp.float32), done, {TRUNCATED: cut}

    def _own_units(self, action: Float[Array, " actions"]) -> Array:
        low, high = jnp.array(self.low), jnp.array(self.high)
        return (low + (action + 1.0) / 2.0 * (high - low)).reshape(self.shape)


class WithTimeLimit(eqx.Module):
    """An environment whose episodes are cut after ``limit`` steps, and no end before is hidden."""

    environment: JaxEnvironment
    limit: int = eqx.field(static=True)

    @property
    def actions(self) -> int:
        """How many numbers an action has."""
        return self.environment.actions

    def reset(
        self, key: Key[Array, ""]
    ) -> tuple[Float[Array, " sees"], tuple[PyTree, Int[Array, ""]]]:
        """The environment's own, and no step taken."""
        observation, state = self.environment.reset(key)
        return observation, (state, jnp.zeros((), jnp.int32))

    def step(
        self,
        state: tuple[PyTree, Int[Array, ""]],
        action: Float[Array, " actions"],
        key: Key[Array, ""],
    ) -> Stepped:
        """An end in the last step counts as cut: gymnax calls its time limit an end, too."""
        own, taken = state[0], state[1] + 1
        observation, own, reward, done, about = self.environment.step(own, action, key)
        late = taken >= self.limit
        cut = jnp.asarray(about.get(TRUNCATED, False), bool) | late
        reward = jnp.asarray(reward, jnp.float32)  # may be a plain number
        return observation, (own, taken), reward, done | late, {**about, TRUNCATED: cut}


def jax_environment(
    environment: Any, params: PyTree = None, time_limit: int | None = None
) -> WithTimeLimit:
    """Ours of any environment that is pure functions: in our manner, told by a ``step`` whose first
    argument is ``state``, or else in gymnax's.

    Without ``time_limit`` it is ``params.max_steps_in_episode``, or 1,000 steps.
    """
    if _arguments(environment, "step")[:1] == ["state"]:
        own = environment
    else:
        own = GymnaxEnvironment(environment, params)
        time_limit = time_limit or getattr(own.params, "max_steps_in_episode", None)
    limited = WithTimeLimit(own, int(time_limit or TIME_LIMIT))
    _check(limited, type(environment).__name__)
    return limited


def _check(environment: JaxEnvironment, name: str) -> None:
    """Refuse what cannot be compiled, in a sentence."""

    def one(key: Any) -> Any:
        seen, state = environment.reset(key)
        after = environment.step(state, jnp.zeros(environment.actions), key)
        return seen, after[0]

    try:
        for leaf in jax.tree.leaves(environment):
            hash(None if isinstance(leaf, jax.Array | np.ndarray) else leaf)
        seen, reached = jax.eval_shape(one, jax.random.key(0))
    except DepoError:
        raise
    except Exception as error:
        raise DepoError(
            f"environment {name} cannot be compiled ({type(error).__name__}: {error}): it needs "
            "reset(key[, params]) and step(key, state, action[, params]) of JAX alone"
        ) from error
    if seen.shape != reached.shape or seen.ndim != 1:
        raise DepoError(
            f"environment {name} shows {seen.shape} at a start and {reached.shape} after a step: "
            "observations are vectors of one length"
        )


def _action_space(environment: Any, params: PyTree) -> Any:
    """What the environment says of its actions; None: nothing."""
    space = getattr(environment, "action_space", None)
    return _call(environment, "action_space", params) if callable(space) else space


def _bounds(environment: Any, space: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of actions: the space's, or ±1 where only their number is known."""
    name = type(environment).__name__
    if space is None:
        size = getattr(environment, "action_size", getattr(environment, "actions", None))
        if size is None:
            raise DepoError(
                f"environment {name} does not say what actions are: give it action_space or "
                "action_size"
            )
        return -np.ones(int(size)), np.ones(int(size))
    if not hasattr(space, "low") or not hasattr(space, "high"):
        raise DepoError(
            f"environment {name} has the action space {space}: the off-policy learner takes "
            "vectors (a Box with low and high) or a choice (Discrete with n)"
        )
    shape = tuple(space.shape)
    low, high = (np.broadcast_to(np.asarray(b, np.float64), shape) for b in (space.low, space.high))
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise DepoError(f"environment {name} has actions without finite bounds: give it some")
    return low, high


def _call(environment: Any, name: str, params: PyTree, *given: Any) -> Any:
    """Of two forms of a function the one that never restarts; with parameters if it takes some."""
    name = f"{name}_env" if hasattr(environment, f"{name}_env") else name
    own = (params,) if "params" in _arguments(environment, name) else ()
    return getattr(environment, name)(*given, *own)


def _arguments(environment: Any, name: str) -> list[str]:
    """Names of a method's arguments, as its class wrote them."""
    function = getattr(type(environment), name, None)
    if function is None:  # put on the object itself
        return list(inspect.signature(getattr(environment, name)).parameters)
    return [argument for argument in inspect.signature(function).parameters if argument != "self"]


def _flat(observation: PyTree) -> Float[Array, " sees"]:
    """All numbers of an observation, part after part."""
    parts = [jnp.ravel(jnp.asarray(part)).astype(jnp.float32) for part in _parts(observation)]
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts)


def _parts(observation: PyTree) -> list[Any]:
    parts = jax.tree.leaves(observation)
    if not parts:
        raise DepoError("an observation has no numbers: there is no state")
    return parts
