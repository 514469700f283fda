"""Environments that are pure functions: what the compiler needs to step thousands of copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, PyTree, UInt32

TRUNCATED = "truncated"
"""In a step's information: whether the episode was cut rather than ended; absent: it was not."""


@runtime_checkable
class JaxEnvironment(Protocol):
    """One copy of an environment as two pure functions.

    Copies come by ``jax.vmap``. A step does not begin the next episode: where ``done`` is true,
    the observation is the last one reached, and whoever steps calls ``reset``. Spaces are told by
    shapes: ``jax.eval_shape(environment.reset, key)``; actions are vectors in [−1,1]ⁿ. It is a
    pytree (an Equinox module), or else a constant of the programs that step it.
    """

    @property
    def actions(self) -> int:
        """How many numbers an action has."""

    def reset(self, key: Key[Array, ""]) -> tuple[Float[Array, " sees"], PyTree]:
        """(observation, state) at the start of an episode."""

    def step(
        self, state: PyTree, action: Float[Array, " actions"], key: Key[Array, ""]
    ) -> tuple[Float[Array, " sees"], PyTree, Float[Array, ""], Bool[Array, ""], dict[str, Any]]:
        """(observation, state, reward, done, information) after an action."""


class Copies(NamedTuple):
    """Where copies are, what each sees, and the key (as data) of its next episode."""

    state: PyTree
    seen: Float[Array, "copies sees"]
    key: UInt32[Array, "copies 2"]


class Moved(NamedTuple):
    """What an action of each copy did; ``reached`` is never the start of the next episode."""

    reached: Float[Array, "copies sees"]
    reward: Float[Array, " copies"]
    terminated: Bool[Array, " copies"]
    truncated: Bool[Array, " copies"]
    information: dict[str, Any]


def keys_of(seeds: Sequence[int] | np.ndarray) -> UInt32[np.ndarray, "copies 2"]:
    """The data of a random key for each seed."""
    words = np.asarray(seeds, np.uint64)
    pairs = np.stack([words >> np.uint64(32), words & np.uint64(2**32 - 1)], axis=1)
    return pairs.astype(np.uint32)


def begin(environment: JaxEnvironment, key: UInt32[Array, "copies 2"]) -> Copies:
    """Fresh episodes, one for each key."""
    keys = jax.vmap(jax.random.split)(jax.random.wrap_key_data(key))
    seen, state = jax.vmap(environment.reset)(keys[:, 0])
    return Copies(_plain(state), _plain(seen), jax.random.key_data(keys[:, 1]))


def step(
    environment: JaxEnvironment,
    copies: Copies,
    action: Float[Array, "copies actions"],
    key: Key[Array, ""],
) -> tuple[Copies, Moved]:
    """Move every copy by its action; where an episode ended the next begins at once."""
    keys = jax.random.split(key, len(action))
    found = jax.vmap(environment.step)(copies.state, action, keys)
    reached, state, reward, done, information = found
    truncated = done & jnp.asarray(information.get(TRUNCATED, jnp.zeros_like(done)), bool)
    moved = Copies(_as(copies.state, state), _as(copies.seen, reached), copies.key)

    def restart() -> Copies:
        fresh = begin(environment, copies.key)
        return jax.tree.map(lambda new, old: jnp.where(_like(done, new), new, old), fresh, moved)

    after = jax.lax.cond(done.any(), restart, lambda: moved)
    return after, Moved(moved.seen, reward, done & ~truncated, truncated, information)


def _plain(tree: PyTree) -> PyTree:
    """Arrays whose types are fixed: Python's numbers in a state have none of their own."""
    return jax.tree.map(lambda x: _of_type(x, jnp.asarray(x).dtype), tree)


def _as(like: PyTree, tree: PyTree) -> PyTree:
    """A state of the types that the one before had, as a compiled loop needs it."""
    return jax.tree.map(lambda old, new: _of_type(new, old.dtype), like, tree)


def _of_type(array: Any, dtype: Any) -> Array:
    """Random keys among the arrays have no other type to be of."""
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return array
    return jax.lax.convert_element_type(array, dtype)


def _like(mask: Bool[Array, " copies"], array: Array) -> Array:
    """The mask with as many axes as an array."""
    return mask.reshape(mask.shape + (1,) * (array.ndim - 1))
