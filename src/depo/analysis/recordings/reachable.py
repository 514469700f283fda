"""Which recorded steps some action makes, by what a short random exploration has seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from depo.analysis.recordings.exploration import Explored
from depo.analysis.recordings.moves import NOTHING, Moves

RIDGE = 1e-6
ROUNDING = 1e-3
"""Part of a usual change that may be missed even where the model is exact."""
SURE = 0.98
"""The quantile of the model's own errors that a step may have and count as reached."""
NEAR = 0.98
"""The quantile of explored states' distances within which a state counts as explored."""
BEYOND = 0.01
"""Part of the actions' range by which the largest drawn at random may miss its end."""
SWEEPS = 30
"""Of the search for an action, each number once."""


class Reach(NamedTuple):
    """Of recorded steps: how many begin where exploration was, and the share of them that an
    action of the environment makes; the same share of explored steps that were kept apart."""

    comparable: int
    share: float
    usual: float


def reach(recording: Moves, explored: Explored) -> Reach | None:
    """Fit s' − s = A s + B a + c to every second explored step, and look for actions.

    None where too little was explored, or actions are no vectors.
    """
    states, change, actions = explored.moves.states, explored.moves.change, explored.actions
    keep = slice(0, None, 2)
    rows = len(states[keep])
    if not actions.shape[1] or rows < 4 * (states.shape[1] + actions.shape[1] + 1):
        return None
    model = Linear(states[keep], actions[keep], change[keep])
    apart = Moves(states[1::2], explored.moves.reached[1::2], explored.moves.starts)
    model.calibrate(apart)
    near = model.is_near(recording.states)
    if not near.any():
        return Reach(0, np.nan, model.usual)
    misses = model.misses(recording.states[near], recording.change[near])
    return Reach(int(near.sum()), float((misses <= 1.0).mean()), model.usual)


class Linear:
    """A linear model of an environment's steps, in units of its own spread."""

    def __init__(self, states: np.ndarray, actions: np.ndarray, change: np.ndarray):
        self._middle, self._scale = states.mean(axis=0), states.std(axis=0) + NOTHING
        low, high = actions.min(axis=0), actions.max(axis=0)
        slack = BEYOND * (high - low)
        self._low, self._high = low - slack, high + slack
        inputs = self._inputs(states)
        every = np.concatenate([inputs, actions], axis=1)
        weights = np.linalg.solve(
            every.T @ every + RIDGE * len(every) * np.eye(every.shape[1]), every.T @ change
        )
        self._passive, self._active = weights[: inputs.shape[1]], weights[inputs.shape[1] :]
        standard = (states - self._middle) / self._scale
        covariance = standard.T @ standard / len(standard) + 1e-3 * np.eye(states.shape[1])
        self._inverse = np.linalg.inv(covariance)
        self._far = np.quantile(self._distance(states), NEAR)
        error = change - every @ weights
        exact = ROUNDING * change.std(axis=0) + NOTHING
        self._noise = np.sqrt(np.mean(np.square(error), axis=0)) + exact
        self._limit = np.inf
        self.usual = np.nan

    def calibrate(self, apart: Moves) -> None:
        """Learn from steps kept apart how large a miss is usual."""
        near = self.is_near(apart.states)
        self._limit = 1.0
        misses = self.misses(apart.states[near], apart.change[near])
        self._limit = max(1.0, float(np.quantile(misses, SURE)))
        self.usual = SURE

    def is_near(self, states: np.ndarray) -> np.ndarray:
        """Which states lie where exploration was."""
        return self._distance(states) <= self._far

    def misses(self, states: np.ndarray, change: np.ndarray) -> np.ndarray:
        """What the best action leaves of every step, in units of what is usual."""
        wanted = (change - self._inputs(states) @ self._passive) / self._noise
        effect = self._active / self._noise
        left = wanted - self._best_actions(wanted, effect) @ effect
        return np.sqrt(np.mean(np.square(left), axis=1)) / self._limit

    def _best_actions(self, wanted: np.ndarray, effect: np.ndarray) -> np.ndarray:
        """Within their bounds, least squares: from the solution without bounds, one number of an
        action after the other. (A descent along the gradient takes far too long where two actions
        do nearly the same, as fuel and air to a furnace's pressure.)"""
        gram, along = effect @ effect.T, wanted @ effect.T
        free = along @ np.linalg.pinv(gram, hermitian=True)
        action = np.clip(free, self._low, self._high)
        for _ in range(SWEEPS):
            for j, own in enumerate(np.diag(gram)):
                step = (along[:, j] - action @ gram[:, j]) / (own + NOTHING)
                action[:, j] = np.clip(action[:, j] + step, self._low[j], self._high[j])
        return action

    def _inputs(self, states: np.ndarray) -> np.ndarray:
        standard = (states - self._middle) / self._scale
        return np.concatenate([standard, np.ones((len(states), 1))], axis=1)

    def _distance(self, states: np.ndarray) -> np.ndarray:
        standard = (states - self._middle) / self._scale
        return np.einsum("nd,de,ne->n", standard, self._inverse, standard)
