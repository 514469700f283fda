"""L_D: binary cross-entropy, expert transitions labelled 1 and the agent's 0."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.judges import Discriminator, VectorDiscriminator

Pairs = tuple[Array, Array]


def loss(
    discriminator: Discriminator | VectorDiscriminator, expert: Pairs, agent: Pairs
) -> Float[Array, ""]:
    """−½ E_expert[log D(s,s')] − ½ E_agent[log(1 − D(s,s'))]."""
    for_expert = jax.nn.softplus(-discriminator(*expert))
    for_agent = jax.nn.softplus(discriminator(*agent))
    return 0.5 * (jnp.mean(for_expert) + jnp.mean(for_agent))
