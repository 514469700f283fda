"""Variation: parameters of a simulation redrawn at every reset while an agent learns in it.

A planner that has met many gravities and masses bears other ones; evaluation sees the environment
as it is. Written as on the command line, ``gravity=0.7:1.15,gain=0.8:1.2,delay=0:2``; ``own`` calls
the environment's own ``vary(generator)``, with which anybody's environment can take part.

>>> [str(each) for each in parse_variation("gravity=0.7:1.15, own")]
['gravity=0.7:1.15', 'own']
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from depo.core.errors import DepoError, unknown
from depo.environments.dynamics import (
    PARAMETERS,
    ChangedActions,
    derive_from_masses,
    model_parameters,
)

OWN, GAIN, DELAY = "own", "gain", "delay"
VARIED: dict[str, str] = {
    **{name: f"{name} of the MuJoCo model, times a factor" for name in PARAMETERS},
    GAIN: "what each number of an action does, times a factor of its own, up to the bounds",
    DELAY: "whole steps until an action takes effect",
    OWN: "whatever the environment's own vary(generator) changes",
}
"""What can be varied."""
_STREAM = 0x7A81
"""Keeps these draws apart from what the environment draws from the same seed."""


@dataclass(frozen=True)
class Range:
    """What is varied, and between which two numbers."""

    name: str
    low: float = 1.0
    high: float = 1.0

    def __str__(self) -> str:
        return self.name if self.name == OWN else f"{self.name}={self.low:g}:{self.high:g}"


def parse_variation(text: str) -> tuple[Range, ...]:
    """The ranges that a text names; refuses what it does not know.

    >>> parse_variation("")
    ()
    """
    ranges = tuple(_parse_one(word.strip()) for word in text.split(",")) if text.strip() else ()
    names = [each.name for each in ranges]
    for name in names:
        if names.count(name) > 1:
            raise DepoError(f"vary '{text}': {name} stands there twice")
    return ranges


def _parse_one(word: str) -> Range:
    name, equals, value = word.partition("=")
    if name not in VARIED:
        raise unknown("vary", name, VARIED)
    if name == OWN:
        if equals:
            raise DepoError(f"vary '{word}': own takes no range, the environment has its own")
        return Range(OWN)
    low, high = (_number(x) for x in (*value.split(":"), "")[:2])
    least = 0.0 if name == DELAY else np.nextafter(0.0, 1.0)
    is_whole = name != DELAY or (low.is_integer() and high.is_integer())
    if value.count(":") != 1 or not (least <= low <= high < math.inf) or not is_whole:
        example = f"{name}=0:2" if name == DELAY else f"{name}=0.8:1.2"
        raise DepoError(f"vary '{word}': a range from less to more looks like {example}")
    return Range(name, low, high)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


class Varied(gym.Wrapper):
    """Draws anew at every reset, from the seed of the last reset that had one."""

    def __init__(self, env: gym.Env, text: str):
        self.ranges = {each.name: each for each in parse_variation(text)}
        super().__init__(Motors(env) if {GAIN, DELAY} & set(self.ranges) else env)
        self._generator = np.random.default_rng()
        self._parameters = {
            name: [(x, x.copy()) for x in model_parameters(env, name, f"vary {span}", VARIED)]
            for name, span in self.ranges.items()
            if name in PARAMETERS
        }
        if OWN in self.ranges and not env.has_wrapper_attr("vary"):
            name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
            raise DepoError(
                f"vary own: environment '{name}' has no method vary(generator): give it one, or "
                f"vary {', '.join(x for x in VARIED if x != OWN)}"
            )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Another draw, then a reset."""
        if seed is not None:
            self._generator = np.random.default_rng([_STREAM, seed])
        for name, arrays in self._parameters.items():
            self._scale(name, arrays)
        if isinstance(self.env, Motors):
            self._draw_motors(self.env)
        if OWN in self.ranges:
            self.get_wrapper_attr("vary")(self._generator)
        return super().reset(seed=seed, options=options)

    def _scale(self, name: str, arrays: list[tuple[np.ndarray, np.ndarray]]) -> None:
        factor = self._draw(name)
        for array, usual in arrays:
            array[:] = factor * usual
        if name == "mass":
            derive_from_masses(self)

    def _draw_motors(self, motors: Motors) -> None:
        if GAIN in self.ranges:
            motors.gain = self._draw(GAIN, motors.size)
        if DELAY in self.ranges:
            span = self.ranges[DELAY]
            motors.wait(int(self._generator.integers(int(span.low), int(span.high) + 1)))

    def _draw(self, name: str, size: int | None = None) -> Any:
        span = self.ranges[name]
        return np.exp(self._generator.uniform(np.log(span.low), np.log(span.high), size))


class Motors(ChangedActions):
    """Actions times a gain, some steps late, in units of the box."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        self.size = len(self._middle)
        self.gain = np.ones(self.size)
        self._waiting: deque[np.ndarray] = deque()

    def wait(self, steps: int) -> None:
        """From here on actions take effect n steps late; before that there is none."""
        self._waiting = deque([np.zeros(self.size)] * steps)

    def action(self, action: np.ndarray) -> np.ndarray:
        """What takes effect now."""
        self._waiting.append(self.to_units(action))
        return self.to_box(self.gain * self._waiting.popleft())
