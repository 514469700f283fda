"""Dynamics variants: what actions do changes, states and their meaning stay.

Written as on the command line, ``mixed,gravity=0.8``, and applied from left to right, the first
nearest to the environment. Each is also a plain Gymnasium wrapper.

>>> [str(change) for change in parse_dynamics("transposed=2-0-1, gravity=0.8")]
['transposed=2-0-1', 'gravity=0.8']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete

from depo.core.errors import DepoError, unknown

PARAMETERS: dict[str, tuple[str, ...]] = {
    "gravity": ("opt.gravity",),
    "mass": ("body_mass", "body_inertia"),
    "friction": ("geom_friction",),
    "damping": ("dof_damping",),
}
"""What is multiplied in a MuJoCo model; inertia goes with mass, as for another material."""

MOST, DIGITS = 8, 6
"""Changes on top of one another (each 'mixed' doubles an action), and digits of a place."""
Maker = Callable[[gym.Env, str], gym.Env]


class ChangedActions(gym.ActionWrapper):
    """What the wrappers of actions share: units in which the environment's box is [−1,1]ⁿ."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        space = env.action_space
        if not isinstance(space, Box) or not space.is_bounded() or len(space.shape) != 1:
            other = "; permuted[=1-0] changes them" if isinstance(space, Discrete) else ""
            raise DepoError(
                f"{type(self).__name__.lower()} dynamics need one vector of bounded actions, the "
                f"environment has {space}{other}"
            )
        self._middle = (space.high.astype(np.float64) + space.low) / 2
        self._half = (space.high.astype(np.float64) - space.low) / 2
        self._kind = space.dtype.type

    def to_units(self, action: np.ndarray) -> np.ndarray:
        """An action of the environment's box in [−1,1]ⁿ."""
        return (np.asarray(action, np.float64) - self._middle) / self._half

    def to_box(self, units: np.ndarray) -> np.ndarray:
        """The environment's action for these units, bounded by ±1."""
        bounded = np.clip(units, -1.0, 1.0)
        return np.asarray(self._middle + self._half * bounded, self._kind)


class Inverted(ChangedActions):
    """a → −a in units of the box: every action does what its opposite did."""

    def action(self, action: np.ndarray) -> np.ndarray:
        """The opposite action."""
        return self.to_box(-self.to_units(action))


class Transposed(ChangedActions):
    """Action dimensions change places: the environment's number i is ``order[i]`` of ours.

    Without an order they are reversed.
    """

    def __init__(self, env: gym.Env, order: Sequence[int] | None = None):
        super().__init__(env)
        self.order = _order("transposed", order, len(self._middle), "action dimensions")

    def action(self, action: np.ndarray) -> np.ndarray:
        """The action in the environment's order."""
        return self.to_box(self.to_units(action)[self.order])


class Mixed(ChangedActions):
    """Twice as many numbers in an action: u = clip((e^{1+a₁} − e^{a₂})/1.5, ±1).

    a₁ is the first half of the action in [−1,1]²ⁿ, a₂ the second; u is in units of the box. Many
    (a₁,a₂) have the same effect.
    """

    def __init__(self, env: gym.Env):
        super().__init__(env)
        self.action_space = Box(-1.0, 1.0, (2 * len(self._middle),), np.float32)

    def action(self, action: np.ndarray) -> np.ndarray:
        """The one action that the two halves make."""
        first, second = np.split(np.clip(np.asarray(action, np.float64), -1.0, 1.0), 2)
        return self.to_box((np.exp(1.0 + first) - np.exp(second)) / 1.5)


class Scaled(ChangedActions):
    """a → clip(F·a, ±1) in units of the box: weaker motors, or stronger ones up to the bounds."""

    def __init__(self, env: gym.Env, factor: float):
        super().__init__(env)
        self.factor = factor

    def action(self, action: np.ndarray) -> np.ndarray:
        """The action times the factor."""
        return self.to_box(self.factor * self.to_units(action))


class Delayed(ChangedActions):
    """Each action takes effect one step late; an episode's first step has the box's middle."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        self._waiting = self.to_box(np.zeros_like(self._middle))

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Nothing waits at an episode's start."""
        self._waiting = self.to_box(np.zeros_like(self._middle))
        return super().reset(**arguments)

    def action(self, action: np.ndarray) -> np.ndarray:
        """The action of the step before."""
        due, self._waiting = self._waiting, np.array(action, self._kind)
        return due


class Permuted(gym.ActionWrapper):
    """Discrete actions change places: our action i does what the environment's ``order[i]`` does.

    Without an order they are reversed.
    """

    def __init__(self, env: gym.Env, order: Sequence[int] | None = None):
        super().__init__(env)
        space = env.action_space
        if not isinstance(space, Discrete):
            raise DepoError(
                f"permuted dynamics need Discrete actions, the environment has {space}; transposed "
                "changes the places of numbers in a vector"
            )
        self._start = int(space.start)
        self.order = _order("permuted", order, int(space.n), "actions")

    def action(self, action: Any) -> Any:
        """The environment's action."""
        own = self.order[int(action) - self._start] + self._start
        return self.action_space.dtype.type(own)  # type: ignore[union-attr]


def _order(name: str, order: Sequence[int] | None, size: int, what: str) -> list[int]:
    """The order given, or the reversed one; refuses what is none."""
    own = list(range(size))[::-1] if order is None else list(order)
    if sorted(own) != list(range(size)):
        raise DepoError(
            f"{name}={'-'.join(map(str, own))} is no order of the {size} {what}: name each of 0 to "
            f"{size - 1} once"
        )
    return own


class Physics(gym.Wrapper):
    """One parameter of a MuJoCo model times a factor, once, when the wrapper is made."""

    def __init__(self, env: gym.Env, parameter: str, factor: float):
        super().__init__(env)
        for array in model_parameters(env, parameter, f"{parameter}={factor:g}", VARIANTS):
            array *= factor
        if parameter == "mass":
            derive_from_masses(env)


def model_parameters(
    env: gym.Env, parameter: str, asked: str, others: Iterable[str]
) -> Iterator[np.ndarray]:
    """The numbers of an environment's MuJoCo model, to be changed in place; what was ``asked`` and
    what ``others`` there are is for the error where there is no model."""
    model = getattr(env.unwrapped, "model", None)
    if not hasattr(model, "opt"):
        name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        raise DepoError(
            f"{asked} changes a MuJoCo model and environment '{name}' has none: "
            f"use {', '.join(x for x in others if x not in PARAMETERS)}"
        )
    for path in PARAMETERS[parameter]:
        owner: Any = model
        *parts, last = path.split(".")
        for part in parts:
            owner = getattr(owner, part)
        yield getattr(owner, last)


def derive_from_masses(env: gym.Env) -> None:
    """What a MuJoCo model derives from its masses, anew."""
    import mujoco

    own: Any = env.unwrapped
    mujoco.mj_setConst(own.model, own.data)


@dataclass(frozen=True)
class Variant:
    """A change of dynamics: how it is made, what value it takes, and what can be said of it."""

    make: Maker
    value: str
    """What may stand after '=': '' nothing, '[=…]' something optional, '=…' something needed."""
    summary: str
    keeps: str
    """Whether for every transition of the environment some action of the variant makes it."""


def _plain(wrapper: Callable[[gym.Env], gym.Env]) -> Maker:
    return lambda env, _: wrapper(env)


def _ordered(wrapper: Callable[[gym.Env, list[int] | None], gym.Env]) -> Maker:
    return lambda env, order: wrapper(env, [int(x) for x in order.split("-")] if order else None)


def _physics(parameter: str) -> Variant:
    return Variant(
        lambda env, value: Physics(env, parameter, float(value)),
        "=F",
        f"{parameter} of the MuJoCo model times F",
        "no",
    )


VARIANTS: dict[str, Variant] = {
    "inverted": Variant(_plain(Inverted), "", "a → −a", "yes"),
    "transposed": Variant(
        _ordered(Transposed),
        "[=2-0-1]",
        "action dimensions reversed, or in the order given",
        "yes",
    ),
    "permuted": Variant(
        _ordered(Permuted), "[=2-0-1]", "discrete actions reversed, or in the order given", "yes"
    ),
    "mixed": Variant(
        _plain(Mixed), "", "twice the dimensions, u = clip((e^{1+a₁} − e^{a₂})/1.5, ±1)", "yes"
    ),
    "scaled": Variant(
        lambda env, value: Scaled(env, float(value)), "=F", "a → clip(F·a, ±1)", "if F ≥ 1"
    ),
    "delayed": Variant(_plain(Delayed), "", "actions take effect one step late", "no"),
    **{parameter: _physics(parameter) for parameter in PARAMETERS},
}
"""All variants by name."""


@dataclass(frozen=True)
class Change:
    """One variant with its value, as written."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name

    def __call__(self, env: gym.Env) -> gym.Env:
        """The environment with this change."""
        return VARIANTS[self.name].make(env, self.value)


def parse_dynamics(text: str) -> tuple[Change, ...]:
    """The changes that a text names; refuses what it does not know.

    >>> parse_dynamics("")
    ()
    """
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    if len(words) > MOST:
        raise DepoError(f"{len(words):,} dynamics on top of one another: give at most {MOST}")
    return tuple(map(_parse_one, words))


def with_dynamics(env: gym.Env, text: str) -> gym.Env:
    """An environment with all changes of a text, the first innermost.

    >>> env = with_dynamics(gym.make("Pendulum-v1"), "inverted,mixed")
    >>> env.action_space.shape
    (2,)
    """
    for change in parse_dynamics(text):
        env = change(env)
    return env


def _parse_one(word: str) -> Change:
    name, equals, value = word.partition("=")
    if name not in VARIANTS:
        raise unknown("dynamics", name, [f"{x}{variant.value}" for x, variant in VARIANTS.items()])
    allowed = VARIANTS[name].value
    if not allowed and equals:
        raise DepoError(f"dynamics '{word}': {name} takes no value")
    if allowed.startswith("=") and not equals:
        raise DepoError(f"dynamics '{word}': {name} needs a factor, as {name}=0.8")
    if allowed == "=F":
        return Change(name, _factor(word, value))
    if equals and not all(x.isdecimal() and len(x) <= DIGITS for x in value.split("-")):
        raise DepoError(f"dynamics '{word}': an order looks like {name}=2-0-1")
    return Change(name, value)


def _factor(word: str, value: str) -> str:
    try:
        factor = float(value)
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor > 0):
        raise DepoError(f"dynamics '{word}': '{value}' is not a positive number")
    return f"{factor:g}"
