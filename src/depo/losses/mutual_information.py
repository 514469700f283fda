"""A lower bound of mutual information that a network finds (MINE; Belghazi et al., 2018).

    I(s; (a,s')) ≥ E_joint[T(s,a,s')] − log E_product[e^{T(s,a,s')}]

Pairs of the product of marginals are made by giving each (a,s') another row's s. IDDM (Yang et al.,
2019) rewards it: where dynamics are deterministic it is at most the entropy of states H(s), so that
raising it, and the policy's own entropy, raises H(s,a), whose negative bounds the disagreement of
inverse dynamics KL(ρ_π(a|s,s') ‖ ρ_E(a|s,s')).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.discriminator import ActionDiscriminator


def statistics(
    network: ActionDiscriminator,
    state: Float[Array, "batch sees"],
    effect: Float[Array, "batch effects"],
) -> tuple[Float[Array, " batch"], Float[Array, " batch"]]:
    """T of rows as they are, and of each effect beside the state of the row before."""
    return network(state, effect), network(jnp.roll(state, 1, axis=0), effect)


def pointwise(
    joint: Float[Array, " batch"], product: Float[Array, " batch"]
) -> Float[Array, " batch"]:
    """T − log E_product[e^T] of each row: what it adds to the bound, whose mean it is."""
    return joint - (jax.nn.logsumexp(product) - jnp.log(product.shape[0]))


def loss(joint: Float[Array, " batch"], product: Float[Array, " batch"]) -> Float[Array, ""]:
    """Minus the bound."""
    return -jnp.mean(pointwise(joint, product))
