"""Coordinates in which networks see vector states: mean, deviation and typical step of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.core.errors import DepoError

SMALLEST_SCALE, LARGEST = 1e-3, 1e30
SMALLEST_STEP = 1e-3
"""Of a feature's deviation."""
NOTHING = 1e-6
"""Changes by less than this share of a feature's size are rounding."""
UNSEEN = 20.0
"""As many times as large is the unit of a feature that says nothing: hardly any of it is seen."""
Model = TypeVar("Model")


class Normaliser(eqx.Module):
    """z = (s − mean)/scale, bounded by ±clip (0: unbounded); never trained.

    Of a longer vector it takes the first features: what a model knows no scale of, it does not see.
    With ``step`` (in units of ``scale``) differences of states are measured in typical steps:
    where time steps are short, s'−s is a small part of a deviation, and a network that must tell
    such parts apart learns slowly.

    >>> Normaliser(jnp.array([1.0]), jnp.array([2.0]))(jnp.array([5.0])).tolist()
    [2.0]
    """

    mean: Float[Array, " sees"]
    scale: Float[Array, " sees"]
    clip: float = eqx.field(static=True, default=0.0)
    step: Float[Array, " sees"] | None = None
    stride: int = eqx.field(static=True, default=1)
    """How many typical steps the unit ``step`` is."""

    @classmethod
    def none(cls, dimension: int, clip: float = 0.0, steps: bool = False) -> Normaliser:
        """States as they are; with room for ``steps`` if they are wanted."""
        step = jnp.ones(dimension) if steps else None
        return cls(jnp.zeros(dimension), jnp.ones(dimension), clip, step)

    @classmethod
    def of(
        cls,
        states: Float[Array, "rows sees"],
        clip: float,
        reached: Float[Array, "rows sees"] | None = None,
    ) -> Normaliser:
        """The statistics of some states, and of the steps to what was ``reached`` from them, if
        that is given; a feature that never changes keeps a small scale.

        >>> state = jnp.array([[-2.0], [2.0]])
        >>> own = Normaliser.of(state, 0.0, reached=state + 0.5)
        >>> own.scale.tolist(), own.step.tolist()
        ([2.0], [0.25])
        """
        scale = jnp.maximum(jnp.std(states, axis=0), SMALLEST_SCALE)
        step = None
        if reached is not None:
            moved = jnp.sqrt(jnp.mean((reached - states) ** 2, axis=0))
            step = jnp.maximum(moved / scale, SMALLEST_STEP)
        return cls(jnp.mean(states, axis=0), scale, clip, step)

    def striding(self, steps: int) -> Normaliser:
        """The same with a unit of so many typical steps, for what is to come of several.

        >>> Normaliser.none(1, steps=True).striding(5).step.tolist()
        [5.0]
        """
        longer = None if self.step is None else self.step * (steps / self.stride)
        return Normaliser(self.mean, self.scale, self.clip, longer, steps)

    def completed(
        self,
        shown: Float[Array, "shown sees"],
        states: Float[Array, "rows sees"],
        reached: Float[Array, "rows sees"],
    ) -> Normaliser:
        """The same, with units of the first transitions where what was ``shown`` has none.

        Of a feature that is shown at one value only (a contact that is never made) the unit is how
        far from it others are; if no action changes it either (the goal of the one episode that was
        recorded), it cannot tell an expert from anybody else, and is hardly seen. A feature that is
        small everywhere keeps its own small unit.

        >>> shown = jnp.array([[0.0, 5.0, 0.0], [0.0, 5.0, 4.0]])
        >>> states = jnp.array([[3.0, 6.0, 0.0], [0.0, 6.0, 1.0]])
        >>> own = Normaliser.of(shown, 20.0).completed(shown, states, states[::-1])
        >>> [round(float(x), 2) for x in own.scale]
        [2.12, 20.0, 2.0]
        """
        deviation = jnp.std(shown, axis=0)
        far = jnp.sqrt(jnp.mean((states - self.mean) ** 2, axis=0))
        moved = jnp.sqrt(jnp.mean((reached - states) ** 2, axis=0))
        rounding = NOTHING * (far + jnp.abs(self.mean))
        are_still, are_given = deviation <= rounding, moved <= rounding
        unit = jnp.where(
            are_still,
            jnp.where(are_given, UNSEEN, 1.0) * far,
            jnp.maximum(deviation, jnp.minimum(far, SMALLEST_SCALE)),
        )
        scale = jnp.where(unit > rounding, unit, self.scale)
        if self.step is None:
            return Normaliser(self.mean, scale, self.clip)
        longest = jnp.where(are_still, moved, self.step * self.scale)
        return Normaliser(self.mean, scale, self.clip, jnp.maximum(longest / scale, SMALLEST_STEP))

    def widened(
        self, states: Float[Array, "rows sees"], reached: Float[Array, "rows sees"]
    ) -> Normaliser:
        """The same, unless some transitions are typically beyond the bound, where nothing of them
        would be seen (an expert that balances hardly moves): then with larger units.

        A scale goes half the way to theirs in orders of magnitude, since the small differences of
        the first transitions must be seen too; a step becomes as large as theirs, which is what
        actions can do.

        >>> own = Normaliser(jnp.zeros(1), jnp.ones(1), clip=3.0, step=jnp.ones(1))
        >>> far = jnp.array([[-4.0], [4.0]])
        >>> wide = own.widened(far, 2 * far)
        >>> wide.scale.tolist(), wide.step.tolist()
        ([2.0], [2.0])
        """
        far = jnp.sqrt(jnp.mean((states - self.mean) ** 2, axis=0))
        typical = jnp.sqrt(jnp.mean((far / self.scale) ** 2))
        are_cut = (typical > self.clip) & (self.clip > 0)
        longer = jnp.sqrt(self.scale * jnp.maximum(self.scale, far))
        scale = jnp.where(are_cut, longer, self.scale)
        if self.step is None:
            return Normaliser(self.mean, scale, self.clip)
        moved = jnp.sqrt(jnp.mean((reached - states) ** 2, axis=0))
        longest = jnp.maximum(self.step * self.scale, moved)
        step = jnp.where(are_cut, longest / scale, self.step)
        return Normaliser(self.mean, scale, self.clip, step)

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

    def in_steps(self, difference: Float[Array, "*batch sees"]) -> Float[Array, "*batch sees"]:
        """A difference of standardised states in typical steps, if they are known."""
        return difference if self.step is None else difference / jax.lax.stop_gradient(self.step)

    def of_steps(self, steps: Float[Array, "*batch sees"]) -> Float[Array, "*batch sees"]:
        """The difference of standardised states that these are."""
        return steps if self.step is None else steps * jax.lax.stop_gradient(self.step)

    def twice(self) -> Normaliser:
        """The same for a state followed by another."""
        return self._of_arrays(lambda x: jnp.concatenate([x, x]))

    def at(self, columns: tuple[int, ...]) -> Normaliser:
        """The same for some of the features."""
        index = jnp.array(columns)
        return self._of_arrays(lambda x: x[index])

    def _of_arrays(self, change: Callable[[Array], Array]) -> Normaliser:
        step = None if self.step is None else change(self.step)
        return Normaliser(change(self.mean), change(self.scale), self.clip, step, self.stride)


def check_statistics(tree: Any, where: Path) -> None:
    """Refuse models with statistics that are none (a scale is a deviation, so above zero), and
    second moments of an optimiser below zero."""
    for part in jax.tree.leaves(tree, is_leaf=_has_range):
        if isinstance(part, Normaliser):
            mean, units = np.asarray(part.mean), jax.tree.leaves((part.scale, part.step))
            are_units = all(((np.asarray(x) > 0) & (np.asarray(x) <= LARGEST)).all() for x in units)
            if not (np.abs(mean) <= LARGEST).all() or not are_units:
                raise DepoError(
                    f"{where} holds a normaliser whose mean is not finite or whose scale or step "
                    "is not above 0 everywhere: damaged?"
                )
        elif _has_range(part):
            moments = jax.tree.leaves(getattr(part, "nu", ()))
            if any((np.asarray(array) < 0).any() for array in moments):
                raise DepoError(f"{where} holds mean squares below 0: damaged?")


def _has_range(part: Any) -> bool:
    """Statistics, or an optimiser's state: moments of statistics are not statistics themselves."""
    return isinstance(part, Normaliser) or type(part).__module__.startswith("optax")


def give_statistics(
    model: Model,
    states: Float[Array, "rows features"],
    reached: Float[Array, "rows features"],
    shown: tuple[Float[Array, "shown features"], Float[Array, "shown features"]] | None = None,
) -> Model:
    """The model with statistics of some transitions wherever it sees states as they are; of those
    ``shown``, if there are any, in units that the others widen.

    One that came with statistics of its own (a skill that was given) keeps them.

    >>> rows = jnp.array([[1.0, 9.0], [3.0, 9.0]])
    >>> given = give_statistics({"sees": Normaliser.none(1)}, rows, rows)
    >>> given["sees"].mean.tolist(), given["sees"].scale.tolist()
    ([2.0], [1.0])
    """

    def give(part: Any) -> Any:
        if not isinstance(part, Normaliser):
            return part
        if not part.is_plain():
            return part
        sees = part.mean.shape[0]
        first, then = (states, reached) if shown is None else shown
        following = None if part.step is None else then[:, :sees]
        own = Normaliser.of(first[:, :sees], part.clip, following)
        if shown is not None:
            others = states[:, :sees], reached[:, :sees]
            own = own.completed(first[:, :sees], *others).widened(*others)
        return own.striding(part.stride)

    return jax.tree.map(give, model, is_leaf=lambda part: isinstance(part, Normaliser))
