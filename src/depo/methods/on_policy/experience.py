"""Every transition between finite states so far."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from depo.data.transitions import Rollout, Triples
from depo.methods.optimisation import uniform_index

HELD_OUT = 5  # every fifth transition is for validation, never trained on


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

    def _at(self, index: Int[Array, ...]) -> Triples:
        return jax.tree.map(lambda column: column[index], self.rows)
