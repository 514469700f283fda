"""Shapes of models, as their folders say them: what a network is rebuilt from, then filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from depo.core.codec import Natural, Positive
from depo.core.errors import DepoError

NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
LogDeviation = Annotated[float, msgspec.Meta(ge=-80, le=80)]
"""Whose exponential a float holds."""
Hidden = Annotated[tuple[Positive, ...], msgspec.Meta(max_length=64)]
"""Widths of hidden layers; every layer is compiled on its own."""
Choices = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1, max_length=64)]
"""Among how many each choice of an action is."""
PairInput = Literal["difference", "states"]


@dataclass(frozen=True)
class CategoricalPlannerShape:
    """Of a planner over finite states."""

    states: Positive
    hidden: Hidden
    model: Literal["categorical"] = "categorical"


@dataclass(frozen=True)
class GaussianPlannerShape:
    """Of a planner over vectors."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    log_std_bounds: tuple[LogDeviation, LogDeviation]
    absolute: bool
    hidden: Hidden
    smooth: bool = False
    steps: bool = False
    model: Literal["gaussian"] = "gaussian"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)
        low, high = self.log_std_bounds
        if low > high:
            raise DepoError(f"log_std_bounds {[low, high]} are not in order: damaged?")


@dataclass(frozen=True)
class VariationalPlannerShape:
    """Of a planner over vectors with a bottleneck."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    latent: Positive
    hidden: Hidden
    steps: bool = False
    model: Literal["variational"] = "variational"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)


@dataclass(frozen=True)
class FollowingPlannerShape:
    """Of a planner that is a demonstration, with a goal recogniser."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    rows: Positive
    hidden: Hidden
    steps: bool = False
    ahead: Positive = 1
    model: Literal["following"] = "following"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)


@dataclass(frozen=True)
class CategoricalSkillShape:
    """Of a skill between finite states."""

    states: Positive
    actions: Positive
    hidden: Hidden
    model: Literal["categorical"] = "categorical"


@dataclass(frozen=True)
class VectorSkillShape:
    """Of a skill between vectors."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    actions: Positive
    noise: NotNegative | None
    pair_input: PairInput
    modes: Positive
    hidden: Hidden
    steps: bool = False
    model: Literal["vector"] = "vector"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)
        if self.modes > 1 and self.noise is None:
            raise DepoError(f"noise None with {self.modes} modes: heads have a fixed noise")


@dataclass(frozen=True)
class DiscreteSkillShape:
    """Of a skill between vectors over finitely many actions."""

    sees: Positive
    clip: NotNegative
    predicts: tuple[Natural, ...]
    choices: Choices
    pair_input: PairInput
    hidden: Hidden
    steps: bool = False
    model: Literal["discrete"] = "discrete"

    def __post_init__(self) -> None:
        _check_predicts(self.predicts, self.sees)


@dataclass(frozen=True)
class FormulaShape:
    """Of a skill that is a formula: its name, never its code."""

    name: str
    time_step: float | None = None
    """Seconds of a step, where the formula depends on it."""
    model: Literal["formula"] = "formula"


@dataclass(frozen=True)
class CategoricalActorShape:
    """Of a plain policy on finite states."""

    states: Positive
    actions: Positive
    hidden: Hidden
    model: Literal["categorical"] = "categorical"


@dataclass(frozen=True)
class GaussianActorShape:
    """Of a plain policy on vectors."""

    sees: Positive
    clip: NotNegative
    actions: Positive
    hidden: Hidden
    steps: bool = False
    model: Literal["gaussian"] = "gaussian"


@dataclass(frozen=True)
class DiscreteActorShape:
    """Of a plain policy on vectors over finitely many actions."""

    sees: Positive
    clip: NotNegative
    choices: Choices
    hidden: Hidden
    steps: bool = False
    model: Literal["discrete"] = "discrete"


@dataclass(frozen=True)
class StateRewardShape:
    """Of a reward of states, with its potential."""

    sees: Positive
    clip: NotNegative
    gamma: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    hidden: Hidden
    steps: bool = False
    model: Literal["state"] = "state"


Shape = (
    CategoricalPlannerShape
    | GaussianPlannerShape
    | VariationalPlannerShape
    | FollowingPlannerShape
    | CategoricalSkillShape
    | VectorSkillShape
    | DiscreteSkillShape
    | CategoricalActorShape
    | GaussianActorShape
    | DiscreteActorShape
    | StateRewardShape
)
SHAPES: dict[str, Any] = {
    "planner": CategoricalPlannerShape
    | GaussianPlannerShape
    | VariationalPlannerShape
    | FollowingPlannerShape,
    "skill": CategoricalSkillShape | VectorSkillShape | DiscreteSkillShape,
    "actor": CategoricalActorShape | GaussianActorShape | DiscreteActorShape,
    "reward": StateRewardShape,
}
"""What a folder of each kind may hold; a policy's holds a planner and a skill, or an actor."""


def _check_predicts(predicts: tuple[int, ...], sees: int) -> None:
    if len(set(predicts)) < len(predicts) or not predicts or max(predicts) >= sees:
        raise DepoError(
            f"predicts {list(predicts)} are not different features of the {sees} that are seen: "
            "damaged?"
        )
