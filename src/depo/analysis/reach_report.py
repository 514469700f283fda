"""What a reachability report says, and whom it blames."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

REACHED = 0.05
"""A reach error below this share of standing still's is nobody's fault."""


@dataclass(frozen=True)
class Reachability:
    """The report; errors are in ``unit``."""

    seed: int
    steps: int
    unit: str
    """Standardised mean squares on vectors; on a grid, where a plan is reached or not, shares."""
    features: tuple[str, ...]
    error_by_feature: tuple[float, ...]
    error_raw_by_feature: tuple[float, ...]
    bias_by_feature: tuple[float, ...]
    """Mean of planned − reached, standardised."""
    time: tuple[int, ...]
    error_over_time: tuple[float, ...]
    reach_error: float
    reach_error_relative: float
    """Divided by the error of planning to stand still."""
    unreachable: float
    """Of the reach error, what no action would have reached: the plan's fault."""
    unskilled: float
    """What the best action would have gained: the skill's fault."""
    plans_outside: float
    """Share of plans outside the region of visited transitions."""
    reached_outside: float
    """The same of the transitions really made: what the first is to be compared with."""
    visited: str
    planner_error: float | None
    """‖h_E(s) − h(s)‖ on demonstrations; None without any."""
    skill_error: float
    """‖I*(s,ŝ') − I(s,ŝ')‖, the distance to the best action."""
    slope: float
    """L."""
    inverse_slope: float
    """C."""
    model_error: float
    """Squared error of the forward model on held-out transitions, relative to no change."""

    @property
    def planner_term(self) -> float | None:
        """L·C·‖h_E − h‖."""
        if self.planner_error is None:
            return None
        return self.slope * self.inverse_slope * self.planner_error

    @property
    def skill_term(self) -> float:
        """L·‖I* − I‖."""
        return self.slope * self.skill_error

    @property
    def blame(self) -> str:
        """'nobody', 'plan' or 'skill'."""
        if self.reach_error_relative < REACHED:
            return "nobody"
        return "plan" if self.unreachable >= self.unskilled else "skill"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        terms = {"planner_term": self.planner_term, "skill_term": self.skill_term}
        return {**dataclasses.asdict(self), **terms, "blame": self.blame}


def by_feature(error: np.ndarray, raw: np.ndarray) -> dict[str, tuple[Any, ...]]:
    """Mean squares and bias of errors (steps, features), standardised and in real units."""
    return {
        "error_by_feature": _numbers(np.mean(error**2, axis=0)),
        "error_raw_by_feature": _numbers(np.mean(raw**2, axis=0)),
        "bias_by_feature": _numbers(np.mean(error, axis=0)),
    }


def _numbers(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
