"""A planner with a bottleneck: what little of a state decides where the expert goes next."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.planner import Gaussian, GaussianPlanner

LATENT_BOUNDS = (-20.0, 0.5)
"""Of the log deviation of a code."""
SHARP = -5.0
"""The log deviation of a plan whose code is given."""


class VariationalPlanner(GaussianPlanner):
    """h over vectors by a code: z ~ q(z|s), then the change s'−s that it stands for.

    The likeliest plan is that of the mean code; a random one is that of a random code. ``network``
    is the encoder q.

    >>> planner = VariationalPlanner(jax.random.key(0), Normaliser.none(3), hidden=(8,), latent=2)
    >>> planner.mode(jnp.ones((5, 3))).shape
    (5, 3)
    """

    decoder: MLP

    def __init__(
        self,
        key: Key[Array, ""],
        normaliser: Normaliser,
        hidden: Sequence[int],
        latent: int,
        predicts: Sequence[int] | None = None,
    ):
        own, key = jax.random.split(key)
        super().__init__(key, normaliser, hidden, predicts, (SHARP, SHARP))
        self.network = MLP(key, normaliser.mean.shape[0], hidden, 2 * latent)
        self.decoder = MLP(own, latent, hidden, len(self.predicts))

    def code(self, state: Float[Array, "*batch sees"]) -> Gaussian:
        """q(z|s)."""
        mean, log_std = jnp.split(self.network(self.normaliser(state)), 2, axis=-1)
        return Gaussian(mean, jnp.clip(log_std, *LATENT_BOUNDS))

    def distribution(self, state: Float[Array, "*batch sees"]) -> Gaussian:
        """The plan of the mean code, nearly certain."""
        mean = self.decoder(self.code(state).mean)
        return Gaussian(mean, jnp.full_like(mean, SHARP))

    def sample(
        self, state: Float[Array, "*batch sees"], key: Key[Array, ""]
    ) -> Float[Array, "*batch predicts"]:
        """The plan of a random code."""
        return self.reached(state, self.decoder(self.code(state).sample(key)))
