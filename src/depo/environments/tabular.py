"""Deterministic finite environments as tables, stepped by JAX thousands of copies at once."""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Float64, Int, Key

from depo.theory.finite_mdp import FiniteMDP


class Position(NamedTuple):
    """Where one copy of the environment is, and for how many steps."""

    state: Int[Array, ...]
    elapsed: Int[Array, ...]


class Step(NamedTuple):
    """What one action did; ``position`` has already begun the next episode where one ended."""

    position: Position
    next_state: Int[Array, ...]
    reward: Float[Array, ...]
    terminated: Bool[Array, ...]
    truncated: Bool[Array, ...]


class TabularEnvironment(eqx.Module):
    """T(s,a) as a table, with terminal states, a start distribution and a horizon."""

    successor: Int[Array, "states actions"]
    reward: Float[Array, "states actions"]
    terminal: Bool[Array, " states"]
    start: Float[Array, " states"]
    horizon: int = eqx.field(static=True)

    def reset(self, key: Key[Array, ""], copies: int) -> Position:
        """Fresh episodes for ``copies`` copies."""
        cumulative = jnp.cumsum(self.start)
        draw = jax.random.uniform(key, (copies,), maxval=cumulative[-1])
        state = jnp.searchsorted(cumulative, draw, side="right")
        state = jnp.minimum(state, self.states - 1).astype(jnp.int32)
        return Position(state, jnp.zeros(copies, jnp.int32))

    def step(self, position: Position, action: Int[Array, " copies"], key: Key[Array, ""]) -> Step:
        """Move every copy by its action; ended episodes restart at once (same-step reset)."""
        state, elapsed = position
        next_state = self.successor[state, action]
        terminated = self.terminal[next_state]
        truncated = (elapsed + 1 >= self.horizon) & ~terminated
        fresh = self.reset(key, state.shape[0])
        ended = terminated | truncated
        follow_up = Position(
            jnp.where(ended, fresh.state, next_state),
            jnp.where(ended, fresh.elapsed, elapsed + 1),
        )
        reward = self.reward[state, action]
        return Step(follow_up, next_state, reward, terminated, truncated)

    @property
    def states(self) -> int:
        """How many states there are."""
        return self.successor.shape[0]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return self.successor.shape[1]

    def mdp(self, gamma: float, start: Float64[np.ndarray, " states"] | None = None) -> FiniteMDP:
        """The exact process, terminal states absorbing."""
        successor, terminal = np.asarray(self.successor), np.asarray(self.terminal)
        target = np.where(terminal[:, None], np.arange(self.states)[:, None], successor)
        transitions = np.zeros((self.states, self.actions, self.states))
        np.put_along_axis(transitions, target[:, :, None], 1.0, axis=2)
        own = np.asarray(self.start, np.float64)
        return FiniteMDP(transitions, own / own.sum() if start is None else start, gamma)
