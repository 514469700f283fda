"""Every transition between finite states so far."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from depo.data.transitions import Rollout, Triples
from depo.methods.optimisation import uniform_index

HELD_OUT = 5  # every fifth transition is for validation, never trained on
PRIOR = 0.1
"""Transitions that every pair (s,a) is taken to have made before its first, spread over all states:
few, so that one try tells much where dynamics are deterministic, and some tell where they are not.
"""


class Memory(eqx.Module):
    """All transitions so far, in arrays of fixed capacity so that shapes never change."""

    rows: Triples
    size: Int[Array, ""]

    @classmethod
    def empty(cls, capacity: int) -> Memory:
        """Room for ``capacity`` transitions."""
        zeros = jnp.zeros(capacity, jnp.int32)
        return cls(Triples(zeros, zeros, zeros), jnp.zeros((), jnp.int32))

    def add(self, rollout: Rollout) -> Memory:
        """The memory with a batch appended."""
        new = Triples(
            rollout.state.reshape(-1), rollout.action.reshape(-1), rollout.next_state.reshape(-1)
        )
        rows = jax.tree.map(
            lambda old, values: jax.lax.dynamic_update_slice(
                old, values.astype(old.dtype), (self.size,)
            ),
            self.rows,
            new,
        )
        return Memory(rows, self.size + new.state.shape[0])

    def sample(self, key: Key[Array, ""], shape: tuple[int, ...]) -> Triples:
        """Training transitions, uniformly; never a held-out one."""
        available = self.size - self.size // HELD_OUT
        draw = uniform_index(key, shape, available)
        return self._at(draw + draw // (HELD_OUT - 1))

    def sample_held_out(self, key: Key[Array, ""], shape: tuple[int, ...]) -> Triples:
        """Held-out transitions, uniformly."""
        draw = uniform_index(key, shape, self.size // HELD_OUT)
        return self._at(draw * HELD_OUT + HELD_OUT - 1)

    def posterior(
        self, target: Int[Array, " states"], actions: int
    ) -> Float[Array, "states actions"]:
        """p(a|s,s') for one target s' of every state s, by Bayes from equally likely actions:
        ∝ (n(s,a,s') + β/S) / (n(s,a) + β), from training transitions only.

        What has led to the target is likely, what was not tried yet less so, and what has led
        elsewhere least.
        """
        states, number = target.shape[0], jnp.arange(self.rows.state.shape[0])
        counts = (number < self.size) & (number % HELD_OUT != HELD_OUT - 1)
        reached = counts & (self.rows.next_state == target[self.rows.state])
        cell = self.rows.state * actions + self.rows.action

        def tally(which: Bool[Array, " rows"]) -> Float[Array, "states actions"]:
            sums = jnp.zeros(states * actions).at[cell].add(which.astype(jnp.float32))
            return sums.reshape(states, actions)

        likelihood = (tally(reached) + PRIOR / states) / (tally(counts) + PRIOR)
        return likelihood / jnp.sum(likelihood, axis=-1, keepdims=True)

    def noise(self, states: int, actions: int) -> Float[Array, ""]:
        """How often a pair (s,a) that was tried before ended in another state: 0 where dynamics are
        deterministic, or nothing was tried twice."""
        rows = self.rows.state.shape[0]
        number = jnp.arange(rows)
        counts = number < self.size
        cell = self.rows.state * actions + self.rows.action
        first = jnp.full(states * actions, rows).at[cell].min(jnp.where(counts, number, rows))
        again = counts & (number != first[cell])
        elsewhere = again & (self.rows.next_state != self.rows.next_state[first[cell]])
        return jnp.sum(elsewhere) / jnp.maximum(jnp.sum(again), 1)

    def _at(self, index: Int[Array, ...]) -> Triples:
        return jax.tree.map(lambda column: column[index], self.rows)
