"""Forward models T(s,a): where an action leads."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.mlp import MLP


class Forward(eqx.Module):
    """The change of a standardised state, in units of ``scale``."""

    network: MLP
    scale: Float[Array, " features"]

    def __call__(
        self, state: Float[Array, "*batch sees"], action: Float[Array, "*batch actions"]
    ) -> Float[Array, "*batch features"]:
        """The standardised difference s'−s."""
        return jax.lax.stop_gradient(self.scale) * self.network(
            jnp.concatenate([state, action], axis=-1)
        )
