"""L_D: binary cross-entropy, expert transitions labelled 1 and the agent's 0."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.discriminator import Discriminator, VectorDiscriminator

Pairs = tuple[Array, Array]


def loss(
    discriminator: Discriminator | VectorDiscriminator, expert: Pairs, agent: Pairs
) -> Float[Array, ""]:
    """−½ E_expert[log D(s,s')] − ½ E_agent[log(1 − D(s,s'))]."""
    return of_logits(discriminator(*expert), discriminator(*agent))


def of_logits(expert: Float[Array, "*expert"], agent: Float[Array, "*agent"]) -> Float[Array, ""]:
    """The same from the logits of expert and agent transitions."""
    return 0.5 * (jnp.mean(jax.nn.softplus(-expert)) + jnp.mean(jax.nn.softplus(agent)))


def accuracy(expert: Float[Array, "*expert"], agent: Float[Array, "*agent"]) -> Float[Array, ""]:
    """Share of transitions told right, from the same logits."""
    return 0.5 * (jnp.mean(expert > 0) + jnp.mean(agent < 0))
