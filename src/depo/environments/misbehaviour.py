"""Sentences about an environment that does not do what Gymnasium asks of it."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Space

from depo.core.errors import DepoError

NOW_AND_THEN = "if that happens now and then, let step end the episode there instead"
REMEDIES = {
    "observation": NOW_AND_THEN,
    "reward": "a reward is a number, 0.0 where there is none (states alone need no reward)",
}


class SimulationError(DepoError):
    """A step or a reset that nobody can learn from; a run can go on when it is mended."""


def not_finite(
    environment: str, what: str, value: Any, feature: int | None = None, names: Sequence[str] = ()
) -> SimulationError:
    """An observation or a reward that is no number.

    >>> print(not_finite("Mine-v0", "observation", float("nan"), 1, ["x", "y"]))
    environment 'Mine-v0' returned the observation nan in feature 1 (y): if that happens now and \
then, let step end the episode there instead
    """
    where = "" if feature is None else f" in feature {feature}"
    if feature is not None and feature < len(names):
        where += f" ({names[feature]})"
    return SimulationError(
        f"environment '{environment}' returned the {what} {value}{where}: {REMEDIES[what]}"
    )


def remedy_of(error: Exception) -> str:
    """What to do about a constructor's error, where its arguments are wrong.

    >>> remedy_of(TypeError("make() got an unexpected keyword argument 'render_mode'"))
    '; to be filmed, it must take render_mode and give it to the environment'
    >>> remedy_of(TypeError("missing 1 required positional argument: 'render_mode'"))
    '; --env-args NAME=VALUE gives arguments'
    >>> remedy_of(ValueError("no such map"))
    ''
    """
    said = str(error) if isinstance(error, TypeError) else ""
    if "missing" in said:
        return "; --env-args NAME=VALUE gives arguments"
    if "'render_mode'" in said:
        return "; to be filmed, it must take render_mode and give it to the environment"
    return ""


def told(error: Exception) -> str:
    """An exception of somebody's code; one without words is told by its place.

    >>> told(ValueError("too hot"))
    'ValueError: too hot'
    >>> told(AssertionError())
    'AssertionError'
    """
    name = type(error).__name__
    if words := str(error):
        return f"{name}: {words}"
    last = traceback.extract_tb(error.__traceback__)[-1:]
    places = [f" in {x.name}, line {x.lineno} of {Path(x.filename).name}" for x in last]
    return "".join([name, *places])


@contextlib.contextmanager
def saying_what_is_wrong(environment: str, make: Callable[[], gym.Env]) -> Iterator[None]:
    """An exception of somebody's environment as a sentence: what is behind it, if its interface is
    not Gymnasium's, else what it says."""
    try:
        yield
    except DepoError:
        raise
    except Exception as error:
        if said := broken_contract(make):
            sentence = f"environment '{environment}' is not as Gymnasium has it: {said}"
        else:
            sentence = f"environment '{environment}' raised {told(error)}; {NOW_AND_THEN}"
        raise SimulationError(sentence) from error


def broken_contract(make: Callable[[], gym.Env]) -> str:
    """What reset and step of a fresh copy take or return that Gymnasium does not; else nothing."""
    with contextlib.suppress(Exception):  # it is broken somehow, and may be here
        env = make()
        try:
            return _of_reset(env.unwrapped) or _of_step(env.unwrapped)
        finally:
            env.close()
    return ""


def _of_reset(env: gym.Env) -> str:
    taken = inspect.signature(env.reset).parameters.values()
    if not any(one.kind is one.VAR_KEYWORD for one in taken):
        missing = {"seed", "options"} - {one.name for one in taken}
        if missing:
            return (
                f"its reset takes no '{max(missing)}': write reset(self, *, seed=None, "
                "options=None)"
            )
    begun: Any = env.reset(seed=0, options=None)
    if not (isinstance(begun, tuple) and len(begun) == 2 and isinstance(begun[1], dict)):
        return f"its reset returns a {type(begun).__name__}: return (observation, info)"
    return _of_observation(begun[0], env.observation_space)


def _of_step(env: gym.Env) -> str:
    stepped: Any = env.step(env.action_space.sample())
    if not isinstance(stepped, tuple) or len(stepped) != 5:
        count = f"{len(stepped)} values" if isinstance(stepped, tuple) else type(stepped).__name__
        return (
            f"its step returns {count}: return (observation, reward, terminated, truncated, info)"
        )
    if np.size(stepped[1]) != 1:
        return f"its step returns a reward of shape {np.shape(stepped[1])}: return one number"
    if isinstance(stepped[1], str | bytes) or np.asarray(stepped[1]).dtype.kind not in "fiub":
        return f"its step returns the reward {stepped[1]!r}: {REMEDIES['reward']}"
    if not isinstance(stepped[4], dict):
        return (
            f"its step returns a {type(stepped[4]).__name__} as information: return a dict, {{}} "
            "where there is nothing to say"
        )
    return _of_observation(stepped[0], env.observation_space)


def _of_observation(seen: Any, space: Space) -> str:
    if not isinstance(space, Box) or np.shape(seen) == space.shape:
        return ""
    return (
        f"an observation has the shape {np.shape(seen)}, its observation_space {space.shape}: "
        "make them agree"
    )
