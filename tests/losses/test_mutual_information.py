"""The bound is reached where the mutual information is known."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import mutual_information
from depo.models.discriminator import ActionDiscriminator
from depo.models.normaliser import Normaliser
from tests.support.descent import minimise


def test_the_bound_comes_to_the_information_of_a_noisy_bit() -> None:
    """Of a fair bit and a copy of it that is wrong once in eight: log 2 − H(1/8)."""
    generator = np.random.default_rng(0)
    order = generator.permutation(512)  # rows and the ones before them are independent
    bit = (np.arange(512) % 2)[order]
    copy = np.where((np.arange(512) // 2 % 8 == 0)[order], 1 - bit, bit)
    state, effect = (jnp.asarray(2.0 * x[:, None] - 1.0, jnp.float32) for x in (bit, copy))
    network = minimise(
        ActionDiscriminator(jax.random.key(0), Normaliser.none(1), 1, (16,)),
        lambda net: mutual_information.loss(*mutual_information.statistics(net, state, effect)),
    )
    found = mutual_information.pointwise(*mutual_information.statistics(network, state, effect))
    wrong = 1 / 8
    exact = np.log(2) + wrong * np.log(wrong) + (1 - wrong) * np.log(1 - wrong)
    assert float(found.mean()) == pytest.approx(exact, abs=0.05)
    assert float(found[bit == copy].min()) > 0 > float(found[bit != copy].max())


def test_what_rows_add_has_the_bound_as_mean() -> None:
    joint, product = jnp.array([1.0, 2.0]), jnp.array([0.0, 0.0])
    assert mutual_information.pointwise(joint, product).tolist() == [1.0, 2.0]
    assert float(mutual_information.loss(joint, product)) == -1.5
