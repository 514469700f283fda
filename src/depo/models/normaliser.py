"""Coordinates in which networks see vector states: the demonstrations' mean and deviation."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.core.errors import DepoError

SMALLEST_SCALE, LARGEST = 1e-3, 1e30
Model = TypeVar("Model")


class Normaliser(eqx.Module):
    """z = (s − mean)/scale, bounded by ±clip (0: unbounded); never trained.

    Of a longer vector it takes the first features: what a model knows no scale of, it does not see.

    >>> Normaliser(jnp.array([1.0]), jnp.array([2.0]))(jnp.array([5.0])).tolist()
    [2.0]
    """

    mean: Float[Array, " sees"]
    scale: Float[Array, " sees"]
    clip: float = eqx.field(static=True, default=0.0)

    @classmethod
    def none(cls, dimension: int, clip: float = 0.0) -> Normaliser:
        """States as they are."""
        return cls(jnp.zeros(dimension), jnp.ones(dimension), clip)

    @classmethod
    def of(cls, states: Float[Array, "rows sees"], clip: float) -> Normaliser:
        """The statistics of some states; a feature that never changes keeps a small scale."""
        scale = jnp.maximum(jnp.std(states, axis=0), SMALLEST_SCALE)
        return cls(jnp.mean(states, axis=0), scale, clip)

    def is_plain(self) -> bool:
        """Whether states are seen as they are."""
        return bool(jnp.all(self.mean == 0.0) & jnp.all(self.scale == 1.0))

    def __call__(self, state: Float[Array, "*batch features"]) -> Float[Array, "*batch sees"]:
        """Standardised states."""
        mean, scale = jax.lax.stop_gradient((self.mean, self.scale))
        z = (state[..., : mean.shape[0]] - mean) / scale
        return jnp.clip(z, -self.clip, self.clip) if self.clip else z

    def back(self, z: Float[Array, "*batch sees"]) -> Float[Array, "*batch sees"]:
        """The states with these coordinates."""
        mean, scale = jax.lax.stop_gradient((self.mean, self.scale))
        return z * scale + mean

    def twice(self) -> Normaliser:
        """The same for a state followed by another."""
        mean, scale = (jnp.concatenate([x, x]) for x in (self.mean, self.scale))
        return Normaliser(mean, scale, self.clip)

    def at(self, columns: tuple[int, ...]) -> Normaliser:
        """The same for some of the features."""
        index = jnp.array(columns)
        return Normaliser(self.mean[index], self.scale[index], self.clip)


def check_statistics(tree: Any, where: Path) -> None:
    """Refuse models with statistics that are none (a scale is a deviation, so above zero), and
    second moments of an optimiser below zero."""
    for part in jax.tree.leaves(tree, is_leaf=_has_range):
        if isinstance(part, Normaliser):
            mean, scale = np.asarray(part.mean), np.asarray(part.scale)
            if not (np.abs(mean) <= LARGEST).all() or not ((scale > 0) & (scale <= LARGEST)).all():
                raise DepoError(
                    f"{where} holds a normaliser whose mean is not finite or whose scale is not "
                    "above 0 everywhere: damaged?"
                )
        elif _has_range(part):
            moments = jax.tree.leaves(getattr(part, "nu", ()))
            if any((np.asarray(array) < 0).any() for array in moments):
                raise DepoError(f"{where} holds mean squares below 0: damaged?")


def _has_range(part: Any) -> bool:
    """Statistics, or an optimiser's state: moments of statistics are not statistics themselves."""
    return isinstance(part, Normaliser) or type(part).__module__.startswith("optax")


def give_statistics(model: Model, states: Float[Array, "rows features"]) -> Model:
    """The model with statistics of some states wherever it sees states as they are.

    One that came with statistics of its own (a skill that was given) keeps them.

    >>> given = give_statistics({"sees": Normaliser.none(1)}, jnp.array([[1.0, 9.0], [3.0, 9.0]]))
    >>> given["sees"].mean.tolist(), given["sees"].scale.tolist()
    ([2.0], [1.0])
    """

    def give(part: Any) -> Any:
        if not isinstance(part, Normaliser):
            return part
        sees = part.mean.shape[0]
        is_plain = part.is_plain()
        return Normaliser.of(states[:, :sees], part.clip) if is_plain else part

    return jax.tree.map(give, model, is_leaf=lambda part: isinstance(part, Normaliser))
