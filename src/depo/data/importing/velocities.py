"""Rates of signals where only positions were logged: central differences of the states."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


def rates(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The derivative of each column: (x₊₁ − x₋₁)/(t₊₁ − t₋₁), at the ends of the nearest two.

    >>> rates(np.arange(3.0), np.array([[0.0], [2.0], [6.0]])).ravel().tolist()
    [2.0, 3.0, 4.0]
    """
    before = np.maximum(np.arange(len(time)) - 1, 0)
    after = np.minimum(np.arange(len(time)) + 1, len(time) - 1)
    spans = time[after] - time[before]
    return (values[after] - values[before]) / np.where(spans > 0, spans, 1.0)[:, None]


@dataclass
class Differentiator:
    """The same for an episode that comes in parts: a state waits for the one after it."""

    _time: np.ndarray = field(default_factory=lambda: np.zeros(0))
    _values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    _is_told: bool = False
    """Whether the first of the states held back was given out."""

    def push(
        self, time: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, states and rates of what is known now."""
        if len(self._time):
            time = np.concatenate([self._time, time])
            values = np.concatenate([self._values, values])
        first, last = int(self._is_told), max(int(self._is_told), len(time) - 1)
        self._is_told = len(time) >= 2
        self._time, self._values = time[-2:], values[-2:]
        return time[first:last], values[first:last], rates(time, values)[first:last]

    def close(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same of the last state, at the end of the episode."""
        time, values = self._time, self._values
        self._time, self._values, self._is_told = np.zeros(0), np.zeros((0, 0)), False
        return time[-1:], values[-1:], rates(time, values)[-1:]
