"""The gradient inside and outside the trust region."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from depo.losses import (
    clipped_policy_gradient,
)


def test_the_clip_stops_the_gradient_outside_the_trust_region() -> None:
    def slope(log_ratio: float, advantage: float) -> float:
        loss = lambda x: clipped_policy_gradient.loss(  # noqa: E731
            jnp.array([x]), jnp.array([0.0]), jnp.array([advantage]), 0.1
        )
        return float(jax.grad(loss)(log_ratio))

    assert slope(0.0, 1.0) == pytest.approx(-1.0)
    assert slope(0.2, 1.0) == 0.0
    assert slope(-0.2, 1.0) < 0
    assert slope(-0.2, -1.0) == 0.0
    assert slope(0.2, -1.0) > 0


def test_actions_that_were_all_but_impossible_give_finite_gradients() -> None:
    loss = lambda x: clipped_policy_gradient.loss(  # noqa: E731
        x, jnp.array([-500.0]), jnp.array([-1.0]), 0.1
    )
    assert jnp.isfinite(jax.grad(loss)(jnp.array([-1.0]))).all()
