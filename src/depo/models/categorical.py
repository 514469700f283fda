"""Independent choices as a distribution over actions that are one-hot vectors."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from depo.models.action_space import ActionSpace


class Categorical(eqx.Module):
    """A softmax for each choice; ``logits`` of all choices are side by side.

    >>> even = Categorical(jnp.zeros((1, 4)), (2, 2))
    >>> jnp.exp(even.joint()).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    >>> even.sample(jax.random.key(0)).sum(axis=-1).tolist()
    [2.0]
    """

    logits: Float[Array, "*batch length"]
    choices: tuple[int, ...] = eqx.field(static=True)

    def log_probabilities(self) -> Float[Array, "*batch length"]:
        """Of each alternative of each choice."""
        parts = self._parts(self.logits)
        return jnp.concatenate([jax.nn.log_softmax(part) for part in parts], axis=-1)

    def joint(self) -> Float[Array, "*batch combinations"]:
        """log of the probability of every action, in the order of :meth:`ActionSpace.every`."""
        return self.log_probabilities() @ jnp.asarray(self.every().T)

    def every(self) -> np.ndarray:
        """All actions there are."""
        return ActionSpace.of_choices(self.choices).every()

    def log_prob(self, action: Float[Array, "*batch length"]) -> Float[Array, "*batch"]:
        """log of the probability of an action."""
        return jnp.sum(self.log_probabilities() * action, axis=-1)

    def entropy(self) -> Float[Array, "*batch"]:
        """Of all choices together."""
        own = self.log_probabilities()
        return -jnp.sum(jnp.exp(own) * own, axis=-1)

    def sample(self, key: Key[Array, ""]) -> Float[Array, "*batch length"]:
        """A random action, by the Gumbel-max trick."""
        return self._likeliest(self.logits + jax.random.gumbel(key, self.logits.shape))

    def mode(self) -> Float[Array, "*batch length"]:
        """The likeliest action."""
        return self._likeliest(self.logits)

    def _likeliest(self, logits: Float[Array, "*batch length"]) -> Float[Array, "*batch length"]:
        parts = self._parts(logits)
        return jnp.concatenate(
            [jax.nn.one_hot(jnp.argmax(part, axis=-1), part.shape[-1]) for part in parts], axis=-1
        )

    def _parts(self, logits: Float[Array, "*batch length"]) -> list[Array]:
        return jnp.split(logits, np.cumsum(self.choices)[:-1], axis=-1)
