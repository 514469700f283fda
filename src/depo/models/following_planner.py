"""A planner that is a demonstration: the next of its states that is not reached yet."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.planner import Gaussian, GaussianPlanner
from depo.models.skill import pair_features

SHARP = -5.0
"""The log deviation of a goal: it is one state."""


class FollowingPlanner(GaussianPlanner):
    """h over vectors by one demonstration: from the demonstrated state that is nearest, the first
    one at least ``ahead`` steps later that the goal recogniser (``network``) does not take for
    reached; at the end the last.

    ``route`` are the demonstrated states in order, ``length`` says how many of its rows are there.
    A skill for it must have learned goals as many steps ahead.

    >>> route = jnp.array([[0.0], [1.0], [2.0]])
    >>> planner = FollowingPlanner(jax.random.key(0), Normaliser.none(1), (), route, jnp.array(3))
    >>> planner.nearest(jnp.array([[0.9]])).tolist()
    [1]
    """

    route: Float[Array, "rows sees"]
    length: Int[Array, ""]
    ahead: int = eqx.field(static=True, default=1)

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        hidden: Sequence[int],
        route: Float[Array, "rows sees"],
        length: Int[Array, ""],
        predicts: Sequence[int] | None = None,
        ahead: int = 1,
    ):
        super().__init__(key, normaliser, hidden, predicts, (SHARP, SHARP))
        sees = normaliser.mean.shape[0]
        self.network = MLP(key, sees + len(self.predicts), hidden, 1, activation="tanh")
        self.route, self.length, self.ahead = route, length, ahead

    def recognise(
        self, state: Float[Array, "*batch sees"], goal: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch"]:
        """The logit of having reached a goal."""
        pair = pair_features(self.normaliser, self.predicts, "difference", state, goal)
        return self.network(pair)[..., 0]

    def nearest(self, state: Float[Array, "*batch sees"]) -> Int[Array, "*batch"]:
        """The row of the route that a state is nearest to, in the features of goals."""
        own = self.normaliser.at(self.predicts)
        there = own(self.select(self._route()))
        apart = jnp.sum((own(self.select(state))[..., None, :] - there) ** 2, axis=-1)
        return jnp.argmin(jnp.where(self._is_there(), apart, jnp.inf), axis=-1)

    def goal(self, state: Float[Array, "*batch sees"]) -> Int[Array, "*batch"]:
        """The row of the route to go to."""
        rows = jnp.arange(self.route.shape[0])
        goals = self.select(self._route())
        shape = (*state.shape[:-1], goals.shape[0])
        states = jnp.broadcast_to(state[..., None, :], (*shape, state.shape[-1]))
        is_reached = self.recognise(states, jnp.broadcast_to(goals, (*shape, goals.shape[-1]))) > 0
        later = (rows >= self.nearest(state)[..., None] + self.ahead) & self._is_there()
        first = jnp.argmax(later & ~is_reached, axis=-1)
        return jnp.where(jnp.any(later & ~is_reached, axis=-1), first, self.length - 1)

    def distribution(self, state: Float[Array, "*batch sees"]) -> Gaussian:
        """The way to the goal, nearly certain."""
        goals = self.select(self._route())[self.goal(state)]
        way = self.difference(state, goals)
        return Gaussian(way, jnp.full_like(way, SHARP))

    def _route(self) -> Float[Array, "rows sees"]:
        """A recording, which nothing trains."""
        return jax.lax.stop_gradient(self.route)

    def _is_there(self) -> Array:
        return jnp.arange(self.route.shape[0]) < self.length


def first_episode(
    pairs: tuple[Float[Array, "pairs sees"], Float[Array, "pairs sees"]], rows: int
) -> tuple[Float[Array, "rows sees"], Int[Array, ""]]:
    """The states of the first episode among expert transitions, filled up by its last one, and how
    many there are.

    >>> s = jnp.array([[0.0], [1.0], [7.0]])
    >>> route, length = first_episode((s, s + 1.0), 5)
    >>> route[:, 0].tolist(), int(length)
    ([0.0, 1.0, 2.0, 2.0, 2.0], 3)
    """
    state, next_state = pairs
    goes_on = jnp.all(state[1:] == next_state[:-1], axis=-1)
    steps = 1 + jnp.sum(jnp.cumprod(goes_on.astype(jnp.int32)))
    length = jnp.minimum(steps + 1, rows)
    index = jnp.minimum(jnp.arange(rows), length - 1)
    before = next_state[jnp.maximum(index - 1, 0)]
    return jnp.where((index == 0)[:, None], state[0], before), length
