"""Where the answer is known: s' = s + a/10, and a demonstration that turns a corner."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from tests.environments.point import STEP
from tests.support.learning import learned, moved

CORNER = np.concatenate(
    [
        np.stack([np.linspace(-0.5, 0.5, 21), np.full(21, -0.5)], axis=1),
        np.stack([np.full(20, 0.5), np.linspace(-0.45, 0.5, 20)], axis=1),
    ]
).astype(np.float32)
"""Right, then up, half a step at a time."""


@pytest.mark.slow
def test_the_demonstrated_states_are_reached_in_order() -> None:
    shown = jnp.array(CORNER[:-1]), jnp.array(CORNER[1:])
    method, agent, _ = learned("gsp", shown=shown, route_rows=64, step_units=False, goals_ahead=1)
    policy = method.policy(agent)
    state, seen = jnp.array([[-0.55, -0.45]]), []
    for _ in range(60):
        state = state + moved(policy.mode(state).action)
        seen.append(np.asarray(state[0]))
    apart = np.linalg.norm(np.array(seen)[:, None] - CORNER, axis=-1)
    assert (apart.min(axis=0) < 0.6 * STEP).all()  # each is reached
    when = apart.argmin(axis=0)
    assert (np.diff(when) >= 0).mean() > 0.9  # one after the other
    assert apart[-1, -1] < STEP  # and there it stays
