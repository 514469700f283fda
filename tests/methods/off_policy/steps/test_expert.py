"""What is drawn of the expert."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.methods.off_policy.steps.expert import first_states


def test_first_states_are_those_that_nothing_leads_to() -> None:
    episodes = [np.arange(6.0).reshape(3, 2), 50 + np.arange(4.0).reshape(2, 2)]
    state = jnp.array(np.concatenate([e[:-1] for e in episodes]))
    next_state = jnp.array(np.concatenate([e[1:] for e in episodes]))
    first = np.asarray(first_states((state, next_state)))
    assert {tuple(row) for row in first} == {(0.0, 1.0), (50.0, 51.0)}
    alone = np.asarray(first_states((state[:1], next_state[:1])))  # also without demonstrations
    assert {tuple(row) for row in alone} == {(0.0, 1.0)}
