"""A policy as its user sees it: observations in, actions out, both in the environment's own units.

>>> import jax, numpy as np
>>> from depo.models.policy import CategoricalActor
>>> actor = CategoricalActor(jax.random.key(0), states=5, actions=2, hidden=(8,))
>>> policy = Policy(actor, observations=Space.finite(5), actions=Space.finite(2))
>>> int(policy.act(3)) in (0, 1), policy.act([0, 1, 2]).shape
(True, (3,))
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import jax
import numpy as np
from numpy.typing import ArrayLike

from depo.core.codec import Positive
from depo.core.errors import DepoError, readable
from depo.models.action_space import ActionSpace
from depo.models.card import Origin
from depo.models.plain_model import plain_policy
from depo.models.policy import DecoupledPolicy, PolicyModel

DtypeName = Literal["int8", "int32", "int64", "float32", "float64"]


@dataclass(frozen=True)
class Space:
    """Finitely many things, or arrays of some shape, () for a number alone, between bounds
    (observations have none).

    Bounds of a finite set are its first and last number; arrays of whole numbers are choices.
    """

    dtype: DtypeName
    count: Positive | None = None
    """Of a finite set."""
    shape: tuple[Positive, ...] = ()
    low: tuple[float, ...] | None = None
    """Of every number, in the order of memory."""
    high: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        size = math.prod(self.shape)
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        if (self.count is not None and self.shape) or any(len(b) != size for b in bounds):
            raise DepoError(f"{self!r} is no space: a count, or a shape and a bound a number")
        if len(bounds) == 2 and any(low > high for low, high in zip(*bounds, strict=True)):
            raise DepoError(f"{self!r} is no space: a lower bound is above the upper one")

    @classmethod
    def finite(cls, count: int) -> Space:
        """States or actions numbered from 0."""
        return cls("int64", count)

    @classmethod
    def of_choices(
        cls, choices: tuple[int, ...], first: np.ndarray, shape: tuple[int, ...]
    ) -> Space:
        """Actions that are choices, as numbers from ``first`` on, which also has their dtype."""
        low = tuple(map(float, first.ravel()))
        high = tuple(x + n - 1.0 for x, n in zip(low, choices, strict=True))
        count = None if shape else choices[0]
        return cls(str(first.dtype), count, shape, low, high)  # type: ignore[arg-type]

    @property
    def choices(self) -> tuple[int, ...]:
        """Among how many each choice is, where things are whole numbers.

        >>> Space.of_choices((2, 3), np.array([0, 1]), (2,)).choices
        (2, 3)
        """
        if self.count is not None:
            return (self.count,)
        if not self.dtype.startswith("int") or self.low is None or self.high is None:
            return ()
        return tuple(int(b - a) + 1 for a, b in zip(self.low, self.high, strict=True))

    @classmethod
    def box(cls, low: np.ndarray, high: np.ndarray) -> Space:
        """Arrays between bounds."""
        lows, highs = (tuple(map(float, bound.ravel())) for bound in (low, high))
        return cls(str(low.dtype), None, low.shape, lows, highs)  # type: ignore[arg-type]

    @classmethod
    def vector(cls, *shape: int) -> Space:
        """Arrays without bounds."""
        return cls("float32", None, shape)

    def __str__(self) -> str:
        if self.count is not None:
            return f"{self.count} finite"
        if self.choices:
            return "×".join(map(str, self.choices)) + " finite"
        size = "×".join(map(str, self.shape)) or "1"
        if self.low is None or self.high is None:
            return size
        alike = len(set(self.low)) == len(set(self.high)) == 1
        bounds = f" in [{self.low[0]:g}, {self.high[0]:g}]" if alike else ""
        return size + bounds


class Policy:
    """Acts: ``policy.act(observation)``, for one observation or for many.

    Any number of threads may act with one policy. One observation's likeliest action is computed
    by NumPy, in microseconds; many, and random ones, by programs that are compiled at the first
    call. Where the skill remembers the state before (``remembers``), each thread has an episode of
    its own: call :meth:`reset` when one begins, or give the state before as ``previous``.
    """

    def __init__(
        self,
        model: PolicyModel,
        *,
        observations: Space,
        actions: Space,
        remembers: bool = False,
        origin: Origin | None = None,
    ):
        self.model, self.remembers = model, remembers
        self.observations, self.actions = observations, actions
        self.origin = origin or Origin()
        self._act = jax.jit(lambda state: model.mode(state).action)
        self._sample = jax.jit(lambda state, *key: model.sample(state, _key(*key)).action)
        self._plain = plain_policy(model, observations, actions)
        self._bounds = np.array(actions.low or ()), np.array(actions.high or ())
        self._lock, self._calls, self._episode = threading.Lock(), 0, threading.local()
        if isinstance(model, DecoupledPolicy):
            self._plan = jax.jit(lambda state: model.planner.mode(state))
            self._sample_plan = jax.jit(lambda s, *key: model.planner.sample(s, _key(*key)))

    def __repr__(self) -> str:
        seen = "states" if self.observations.count else "features"
        return (
            f"Policy({readable(self.origin.method)} on {readable(self.origin.environment)}, "
            f"{self.observations} {seen} → {self.actions} actions, seed {self.origin.seed})"
        )

    @property
    def features(self) -> tuple[str, ...]:
        """What the numbers of an observation are called."""
        return self.origin.features

    @property
    def planned_features(self) -> tuple[str, ...]:
        """What the numbers of a plan are called; none where nothing is planned."""
        planner = getattr(self.model, "planner", None)
        predicts = getattr(planner, "predicts", None)
        if planner is None or predicts is None:
            return self.features if planner is not None else ()
        return tuple(self.features[i] for i in predicts) if self.features else ()

    def act(
        self,
        observation: ArrayLike,
        deterministic: bool = True,
        *,
        previous: ArrayLike | None = None,
        seed: int | None = None,
    ) -> Any:
        """The action of each observation, in the environment's own units and dtype.

        The likeliest, or a random one (``deterministic=False``) that ``seed`` determines where it
        is given. ``previous`` is the observation before, for a policy that remembers.
        """
        state, single = self._checked(observation, "observation")
        own = self._with_memory(state, single, previous)
        if deterministic and single and self._plain is not None:
            return self._plain.act(own)[()]
        if deterministic:
            return self._own_units(self._act(own), state, single)
        return self._own_units(self._sample(own, *self._random(seed)), state, single)

    def plan(
        self, observation: ArrayLike, deterministic: bool = True, *, seed: int | None = None
    ) -> Any:
        """Where the planner wants to be next: the features :attr:`planned_features` of each state,
        in the environment's own units."""
        if not isinstance(self.model, DecoupledPolicy):
            raise DepoError(
                f"{self.origin.method} acts without a planner: there is no plan; a run that plans "
                "has RUN/planner"
            )
        state, single = self._checked(observation, "observation")
        own = state if single else _padded(state)
        if deterministic and single and self._plain is not None:
            plan = np.asarray(self._plain.plan(own))
        elif deterministic:
            plan = np.asarray(self._plan(own))
        else:
            plan = np.asarray(self._sample_plan(own, *self._random(seed)))
        plan = plan if single else plan[: len(state)]
        return plan if self.observations.count is None else plan.astype(np.int64)[()]

    def reset(self) -> None:
        """An episode begins: forget the state before, in this thread."""
        self._episode.before = None

    def _checked(self, observation: ArrayLike, what: str) -> tuple[np.ndarray, bool]:
        """One observation or many, as the networks take them; flat."""
        if isinstance(observation, Mapping):
            raise DepoError(
                f"{what} has the parts {', '.join(map(str, observation))}, this policy acts on "
                "vectors of them: give Flattening.of(env.observation_space).vector(observation) "
                "of depo.environments.flattening"
            )
        array, space = np.asarray(observation), self.observations
        single = array.shape == space.shape
        if not single and (array.ndim == 0 or array.shape[1:] != space.shape):
            raise DepoError(
                f"{what} has the shape {array.shape}, this policy acts on {space.shape} "
                f"({self.origin.environment}), or on n of them, {('n', *space.shape)}"
            )
        if space.count is not None:
            return self._checked_numbers(array, what, space.count), single
        if array.dtype.kind not in "fiub":
            raise DepoError(f"{what} has the dtype {array.dtype}: give numbers")
        size = math.prod(space.shape)
        flat = array.astype(np.float32).reshape(size if single else (len(array), size))
        if not np.isfinite(flat).all():
            where = int(np.argwhere(~np.isfinite(flat))[0][-1])
            name = self.features[where] if where < len(self.features) else where
            raise DepoError(f"{what} is not finite in feature {name}: {flat.ravel()[where]}")
        return flat, single

    def _checked_numbers(self, array: np.ndarray, what: str, count: int) -> np.ndarray:
        if array.dtype.kind not in "iu":
            raise DepoError(f"{what} has the dtype {array.dtype}: states are whole numbers")
        if array.size and (array.min() < 0 or array.max() >= count):
            raise DepoError(f"{what} {array.max()} is none of the {count} states from 0 on")
        return array.astype(np.int32)

    def _with_memory(
        self, state: np.ndarray, single: bool, previous: ArrayLike | None
    ) -> np.ndarray:
        if not self.remembers:
            if previous is not None:
                raise DepoError("this policy does not remember the state before: no previous")
            return state if single else _padded(state)
        before = getattr(self._episode, "before", None)
        if previous is not None:
            before = self._checked(previous, "previous")[0]
        else:
            self._episode.before = state
        if before is not None and before.shape != state.shape:
            self._episode.before = None
            raise DepoError(
                f"{len(np.atleast_2d(before))} observations before, {len(np.atleast_2d(state))} "
                "now: call reset() when episodes begin, or give previous="
            )
        both = np.concatenate([state, state if before is None else before], axis=-1)
        return both if single else _padded(both)

    def _random(self, seed: int | None) -> tuple[int, int]:
        if seed is not None:
            return seed, 0
        with self._lock:
            self._calls += 1
            return 0, self._calls

    def _own_units(self, action: Any, state: np.ndarray, single: bool) -> Any:
        own, space = np.asarray(action), self.actions
        own = own if single else own[: len(state)]
        low, high = self._bounds
        if self.observations.count is None and space.choices:
            numbers = ActionSpace.of_choices(space.choices).numbers(own)
            numbers = numbers + low.astype(np.int64) if low.size else numbers
            return numbers.reshape((*own.shape[:-1], *space.shape)).astype(space.dtype)[()]
        if space.count is not None:
            return own.astype(space.dtype)[()]
        inside = np.minimum(np.maximum(low + (own + 1.0) / 2.0 * (high - low), low), high)
        return inside.astype(space.dtype).reshape((*own.shape[:-1], *space.shape))


def _key(seed: Any, call: Any) -> Any:
    return jax.random.fold_in(jax.random.key(seed), call)


def _padded(states: np.ndarray) -> np.ndarray:
    """States in an array of 1, 2, 4, … rows: a program is compiled for each of these lengths, not
    for each number of observations."""
    rows = 1 << max(0, len(states) - 1).bit_length()
    return np.concatenate([states, np.zeros((rows - len(states), *states.shape[1:]), states.dtype)])
