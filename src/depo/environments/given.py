"""Environments that are given as objects: a Gymnasium environment, pure functions for the compiler,
a function that makes either, or settings of ours.

What Gymnasium or depo can make again by an id is remembered by it. All else is registered with
Gymnasium under a name of its own for as long as this process lives; a run's folder keeps the name,
and asks for the object when it is opened elsewhere.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import gymnasium as gym
from gymnasium.vector import VectorEnv

from depo.core.errors import DepoError
from depo.environments.batched import restarts_at_once
from depo.environments.by_name import named_environment
from depo.environments.family import EnvironmentSettings, families, family_of
from depo.environments.making import (
    Maker,
    as_one,
    copies_of,
    has_spaces,
    is_functions,
    register_maker,
)
from depo.environments.names import is_given

Factory = Callable[[], gym.Env | VectorEnv]


@runtime_checkable
class FamilySettings(Protocol):
    """Settings of an environment family: a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@runtime_checkable
class PureFunctions(Protocol):
    """An environment for the compiler, in our manner or gymnax's
    (:mod:`depo.environments.gymnax_environment`)."""

    @property
    def reset(self) -> Callable[..., Any]:
        """reset(key[, params]) → observation, state."""

    @property
    def step(self) -> Callable[..., Any]:
        """step(key, state, action[, params]) → observation, state, reward, done, information."""


EnvironmentLike = (
    str | gym.Env | VectorEnv | PureFunctions | Factory | EnvironmentSettings | FamilySettings
)
"""An id or short name, a Gymnasium environment or a batch of them, one of pure functions
(gymnax's), a function that makes one, or settings of a family (``GridWorldSettings(k=4)``)."""


def environment_of(
    env: EnvironmentLike,
    arguments: Mapping[str, Any] | None = None,
    dynamics: str = "",
    observe: str = "",
) -> EnvironmentSettings:
    """Settings that name what was given.

    >>> environment_of(gym.make("CliffWalking-v1")).id
    'CliffWalking-v1'
    """
    if isinstance(env, str):
        return named_environment(env, arguments, dynamics, observe)
    found = _described(env)
    if arguments:
        if is_given(found.id):
            raise DepoError(
                "env_args are for an environment that is named: an object has its own arguments"
            )
        found = family_of(found).with_arguments(found, arguments)
    if observe:
        found = family_of(found).observing(found, observe)
    return replace(found, dynamics=dynamics or found.dynamics)


def give_again(id_: str, env: EnvironmentLike) -> None:
    """The object that an id meant in another process."""
    _register(id_, env)


def _described(env: Any) -> EnvironmentSettings:
    if isinstance(env, EnvironmentSettings):
        return env
    if is_dataclass(env) and not isinstance(env, type):
        for family in families().values():
            if type(env) is family.settings:
                return EnvironmentSettings(family.name, env)
    if isinstance(env, gym.Env) and (known := _by_id(env)) is not None:
        return known
    owner = type(env.unwrapped) if isinstance(env, gym.Env) else env
    words = re.sub(r"\W+", "", getattr(owner, "__name__", type(owner).__name__)) or "environment"
    id_ = f"given-{uuid.uuid4().hex[:8]}/{words}"
    _register(id_, env)
    return named_environment(id_)


def _by_id(env: gym.Env) -> EnvironmentSettings | None:
    """The id of an environment of Gymnasium's or ours that is as ``gym.make`` makes it."""
    spec = env.spec
    if spec is None or spec.additional_wrappers or spec.id not in gym.registry:
        return None
    known, own = gym.registry[spec.id], str(spec.entry_point)
    kwargs = {n: v for n, v in spec.kwargs.items() if n != "render_mode"}
    ours = own.startswith(("gymnasium.envs.", "depo."))
    if not ours or spec.max_episode_steps != known.max_episode_steps:
        return None
    try:
        json.dumps(kwargs)
    except (TypeError, ValueError):
        return None
    arguments = {n: v for n, v in kwargs.items() if known.kwargs.get(n, ...) != v}
    return named_environment(spec.id, arguments)


def _maker(env: Any) -> Maker:
    """What makes an environment, or a batch of them, of what was given."""
    if isinstance(env, gym.Env | VectorEnv):
        return copies_of(env)
    if is_functions(env) or has_spaces(env):
        return copies_of(as_one(env, env))
    if not callable(env):
        raise DepoError(
            f"env is {env!r}: give an id, a Gymnasium environment, a function that makes one, or "
            "settings such as GridWorldSettings(k=4)"
        )
    return env


def _register(id_: str, env: Any) -> None:
    maker = _maker(env)
    try:
        made = maker()
    except Exception as error:
        raise DepoError(f"{env!r} makes no environment: {type(error).__name__}: {error}") from error
    if is_functions(made):
        maker = copies_of(as_one(made, env))  # compiled once
    else:
        as_one(made, env).close()
    register_maker(id_, maker, batched=isinstance(made, VectorEnv) and restarts_at_once(made))
