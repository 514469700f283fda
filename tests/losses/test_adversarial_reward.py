"""The forms of a discriminator's reward."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from depo.losses import adversarial_reward


def test_reward_forms() -> None:
    logit = jnp.array([-30.0, 0.0, 30.0])
    d = adversarial_reward.log_d(logit)
    np.testing.assert_allclose(d, [-30, -np.log(2), 0], atol=1e-5)
    np.testing.assert_allclose(
        adversarial_reward.minus_log_one_minus_d(logit), [0, np.log(2), 30], atol=1e-5
    )
    np.testing.assert_allclose(adversarial_reward.logit(logit), logit)
    np.testing.assert_allclose(adversarial_reward.constant(logit), -np.log(2))
    assert jnp.isfinite(adversarial_reward.log_d(jnp.array([-1e4, 1e4]))).all()
