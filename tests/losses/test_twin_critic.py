"""What an end is worth to the critics."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from depo.losses import (
    twin_critic,
)
from depo.methods.gaifo import OffPolicyGAIfO
from depo.methods.off_policy.steps import (
    absorbed_value,
    reward_of,
)
from depo.methods.settings_tree import with_values


def gaifo(**changes: object) -> OffPolicyGAIfO:
    return with_values(OffPolicyGAIfO(), changes)


def test_an_end_is_worth_its_constant_and_a_cut_bootstraps() -> None:
    target = twin_critic.target(
        jnp.array([1.0, 1.0]), jnp.array([10.0, 10.0]), jnp.array([False, True]), -3.0, 0.9
    )
    np.testing.assert_allclose(target, [10.0, 1.0 - 2.7], rtol=1e-6)


def test_an_absorbed_agent_earns_a_poor_reward_for_ever() -> None:
    s = gaifo(termination="absorbing", reward="logit", reward_scale=0.2, absorbing_logit=5.0)
    poor = float(reward_of(jnp.asarray(-5.0), s.discriminator))
    earned = sum(s.critic.gamma**t * poor for t in range(5_000))
    assert float(absorbed_value(s)) == pytest.approx(earned, rel=1e-4)
    assert absorbed_value(gaifo(termination="zero")) == 0.0
