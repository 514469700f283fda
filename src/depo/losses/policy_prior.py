"""−w·E_π[log p(a|s)]: a policy is held to a prior p(a|s) ∝ exp(−‖a − I(s,ŝ')‖²), ŝ' planned.

KL(π ‖ p) is this minus the policy's entropy, which soft actor-critic weighs for itself (Liu et al.
2020, section 4.3). Neither planner nor skill learns by it.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.categorical import Categorical


def squared(
    action: Float[Array, "batch actions"], prior: Float[Array, "batch actions"]
) -> Float[Array, ""]:
    """E‖a − I(s,ŝ')‖², summed over action dimensions."""
    return jnp.mean(jnp.sum((action - jax.lax.stop_gradient(prior)) ** 2, axis=-1))


def of_choices(policy: Categorical, prior: Categorical) -> Float[Array, ""]:
    """−E Σ_a π(a|s) log I(a|s,ŝ') over discrete actions."""
    likely = jax.lax.stop_gradient(prior.log_probabilities())
    return -jnp.mean(jnp.sum(jnp.exp(policy.log_probabilities()) * likely, axis=-1))
