"""What makes environments: objects and functions that somebody gives, or names as
``module:function``, registered with Gymnasium so that they are made like all others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

import gymnasium as gym
from gymnasium.vector import VectorEnv

from depo.core.errors import DepoError, suggestion
from depo.environments.batched import FirstOfBatch, Rows

Maker = Callable[..., Any]
"""Makes an environment, or a batch of them; each call another, equal one."""
NAMED = "depo-named"
"""Before the names of functions that make environments, among Gymnasium's ids."""


def register_maker(id_: str, make: Maker, *, batched: bool = False) -> None:
    """Make what a function makes known to Gymnasium; a batch also as any number of copies."""
    gym.registry.pop(id_, None)

    def rows(num_envs: int, **arguments: Any) -> VectorEnv:
        return Rows(lambda: make(**arguments), num_envs)

    own: Any = rows if batched else None
    gym.register(
        id_,
        entry_point=lambda **kw: as_one(make(**kw), make),
        vector_entry_point=own,
        disable_env_checker=True,
    )


def named_maker(module: ModuleType, name: str) -> str:
    """The id under which a module's function, or class, is registered; empty: it has none."""
    found = getattr(module, name, None)
    if not callable(found):
        return ""
    id_ = f"{NAMED}/{module.__name__}.{name}"
    if id_ not in gym.registry:
        register_maker(id_, found)
    return id_


def not_offered(module: ModuleType, name: str) -> DepoError:
    """The error for a name that is none of a module's environments, with the nearest that is."""
    registered = [
        id_
        for id_, spec in gym.registry.items()
        if f"{_home(spec.entry_point)}.".startswith(f"{module.__name__}.")
    ]
    own = [
        named
        for named, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    ]
    hint = suggestion(name, [*registered, *own])
    return DepoError(
        f"module '{module.__name__}' registers no environment '{name}' and has no function of that "
        f"name, which would make one{': ' + hint.strip() if hint else ''}"
    )


def _home(entry: Any) -> str:
    """The module of what makes an environment."""
    return (
        entry.partition(":")[0] if isinstance(entry, str) else str(getattr(entry, "__module__", ""))
    )


def as_one(made: Any, maker: Any) -> gym.Env:
    """What was made as one Gymnasium environment."""
    if isinstance(made, gym.Env):
        return made
    if isinstance(made, VectorEnv):
        return FirstOfBatch(made)
    if has_spaces(made):
        raise DepoError(
            f"{type(made).__module__}.{type(made).__name__} has the spaces of an environment and "
            "is none of Gymnasium's: derive it from gymnasium.Env (one of the older package gym by "
            "shimmy.GymV21CompatibilityV0)"
        )
    if is_functions(made):
        from depo.environments.jax_gymnasium import JaxEnv

        return JaxEnv(made)
    called = getattr(maker, "__qualname__", repr(maker))
    raise DepoError(f"{called} makes a {type(made).__name__}, not a Gymnasium environment")


def has_spaces(env: Any) -> bool:
    """Whether an object has spaces as an environment has them, and not by functions as gymnax's."""
    if isinstance(env, type):
        return False
    spaces = [getattr(env, name, None) for name in ("observation_space", "action_space")]
    return all(space is not None and not callable(space) for space in spaces)


def is_functions(env: Any) -> bool:
    """Whether an object that is no Gymnasium environment has the functions of one."""
    if isinstance(env, type | gym.Env | VectorEnv) or has_spaces(env):
        return False
    return callable(getattr(env, "reset", None)) and callable(getattr(env, "step", None))


def copies_of(env: gym.Env | VectorEnv) -> Maker:
    """Copies of an environment as it is now; simulators to train and to score in are several."""
    try:
        kept = copy.deepcopy(env)
    except Exception as error:
        raise DepoError(
            f"{env} cannot be copied ({type(error).__name__}: {error}), and training takes several "
            "copies: give a function that makes one, as env=lambda: MyEnvironment()"
        ) from error
    return lambda: copy.deepcopy(kept)
