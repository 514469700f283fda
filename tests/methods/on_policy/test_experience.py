from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np


def test_held_out_transitions_are_never_trained_on() -> None:
    from depo.data.transitions import Rollout
    from depo.methods.on_policy.experience import HELD_OUT, Memory

    n = 50
    index = jnp.arange(n, dtype=jnp.int32).reshape(n, 1)
    flags = jnp.zeros((n, 1), bool)
    rollout = Rollout(index, index, index, index, jnp.zeros((n, 1)), flags, flags)
    memory = Memory.empty(3 * n).add(rollout)
    assert int(memory.size) == n
    trained = set(np.asarray(memory.sample(jax.random.key(0), (5_000,)).state).tolist())
    held = set(np.asarray(memory.sample_held_out(jax.random.key(1), (5_000,)).state).tolist())
    assert held == {i for i in range(n) if i % HELD_OUT == HELD_OUT - 1}
    assert trained == set(range(n)) - held
