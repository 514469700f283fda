"""Environments that are given as objects: a Gymnasium environment, pure functions for the compiler,
a function that makes either, or settings of ours.

What Gymnasium or depo can make again by an id is remembered by it. All else is registered with
Gymnasium under a name of its own for as long as this process lives; a run's folder keeps the name,
and asks for the object when it is opened elsewhere.
"""

from __future__ import annotations

import copy
import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import gymnasium as gym

from depo.core.errors import DepoError
from depo.environments.family import (
    EnvironmentSettings,
    families,
    family_of,
    named_environment,
)
from depo.environments.names import is_given

Factory = Callable[[], gym.Env]


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


EnvironmentLike = str | gym.Env | PureFunctions | Factory | EnvironmentSettings | FamilySettings
"""An id or short name, a Gymnasium environment, one of pure functions (gymnax's), a function that
makes one, or settings of a family (``GridWorldSettings(k=4)``)."""


def environment_of(
    env: EnvironmentLike, arguments: Mapping[str, Any] | None = None, dynamics: str = ""
) -> EnvironmentSettings:
    """Settings that name what was given.

    >>> environment_of(gym.make("CliffWalking-v1")).id
    'CliffWalking-v1'
    """
    if isinstance(env, str):
        return named_environment(env, arguments, dynamics)
    found = _described(env)
    if arguments:
        if is_given(found.id):
            raise DepoError(
                "env_args are for an environment that is named: an object has its own arguments"
            )
        found = family_of(found).with_arguments(found, arguments)
    return replace(found, dynamics=dynamics or found.dynamics)


def give_again(id_: str, env: EnvironmentLike) -> None:
    """The object that an id meant in another process."""
    _register(id_, _factory(env))


def _described(env: Any) -> EnvironmentSettings:
    if isinstance(env, EnvironmentSettings):
        return env
    if is_dataclass(env) and not isinstance(env, type):
        for family in families().values():
            if type(env) is family.settings:
                return EnvironmentSettings(family.name, env)
    if isinstance(env, gym.Env) and (known := _by_id(env)) is not None:
        return known
    factory = _factory(env)
    owner = type(env.unwrapped) if isinstance(env, gym.Env) else env
    words = re.sub(r"\W+", "", getattr(owner, "__name__", type(owner).__name__)) or "environment"
    id_ = f"given-{uuid.uuid4().hex[:8]}/{words}"
    _register(id_, factory)
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


def _factory(env: Any) -> Factory:
    if isinstance(env, gym.vector.VectorEnv):
        raise DepoError(f"{env} is many environments in one: give one of them, or its factory")
    if isinstance(env, gym.Env):
        return _copies(env)
    if _is_functions(env):
        return _compiled(env)
    if not callable(env):
        raise DepoError(
            f"env is {env!r}: give an id, a Gymnasium environment, a function that makes one, or "
            "settings such as GridWorldSettings(k=4)"
        )
    try:
        made = env()
    except Exception as error:
        raise DepoError(f"{env!r} makes no environment: {type(error).__name__}: {error}") from error
    if _is_functions(made):
        return _compiled(made)
    if not isinstance(made, gym.Env):
        raise DepoError(f"{env!r} makes a {type(made).__name__}, not a Gymnasium environment")
    made.close()
    return env


def _is_functions(env: Any) -> bool:
    """Whether an object that is no Gymnasium environment has the functions of one."""
    if isinstance(env, type | gym.Env | gym.vector.VectorEnv):
        return False
    return callable(getattr(env, "reset", None)) and callable(getattr(env, "step", None))


def _compiled(env: Any) -> Factory:
    """A Gymnasium environment in which depo finds the functions again."""
    from depo.environments.jax_gymnasium import JaxEnv

    return _copies(JaxEnv(env))


def _copies(env: gym.Env) -> Factory:
    """Copies of an environment as it is now; simulators to train and to score in are several."""
    try:
        kept = copy.deepcopy(env)
    except Exception as error:
        raise DepoError(
            f"{env} cannot be copied ({type(error).__name__}: {error}), and training takes several "
            "copies: give a function that makes one, as env=lambda: MyEnvironment()"
        ) from error
    return lambda: copy.deepcopy(kept)


def _register(id_: str, factory: Factory) -> None:
    gym.registry.pop(id_, None)
    gym.register(id_, entry_point=lambda **_: factory(), disable_env_checker=True)
