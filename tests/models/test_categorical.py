from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.models.categorical import Categorical

LOGITS = jnp.array([0.3, -1.0, 2.0, 0.5, -0.2])
TWO = Categorical(LOGITS, (2, 3))


def test_the_joint_distribution_is_the_product_of_the_choices() -> None:
    first, second = np.exp(LOGITS[:2]), np.exp(LOGITS[2:])
    joint = np.outer(first / first.sum(), second / second.sum()).ravel()
    np.testing.assert_allclose(np.exp(TWO.joint()), joint, rtol=1e-5)
    np.testing.assert_allclose(TWO.entropy(), -(joint * np.log(joint)).sum(), rtol=1e-5)
    each = eqx.filter_vmap(lambda action: TWO.log_prob(action))(jnp.asarray(TWO.every()))
    np.testing.assert_allclose(each, np.log(joint), rtol=1e-4)


def test_samples_are_as_often_as_they_are_likely() -> None:
    many = Categorical(jnp.broadcast_to(LOGITS, (40_000, 5)), (2, 3))
    drawn = many.sample(jax.random.key(0))
    np.testing.assert_allclose(drawn.mean(axis=0), np.exp(TWO.log_probabilities()), atol=0.01)
    assert TWO.mode().tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
