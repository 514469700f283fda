"""The planner: what it plans, and what it follows. No JAX here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from depo.methods.settings_tree import Heading, Part, Rule, named

CalibrationWeight = Literal["min-max", "positive-normal", "shifted", "constant", "within-state"]
ValueUnit = Literal["reward", "deviation", "gain"]
CalibrationFit = Literal["likelihood", "relative"]
PlannerFit = Literal["likelihood", "squared", "sampled", "relative"]


@dataclass(frozen=True)
class Features(Part):
    """Which features are planned."""

    heading: ClassVar[Heading] = "planner"
    plans: str = ""
    """The features of a state that are planned, by name or number, comma-separated (where the
    others are not ours to move); 'motors': the velocities of joints with a motor (MuJoCo's tasks);
    empty: all."""


@dataclass(frozen=True)
class PlanSampling(Part):
    """Whether plans are random."""

    heading: ClassVar[Heading] = "planner"
    sample: bool = named(True, "sample_plans")
    """Whether plans are sampled while gathering and learning; off, the planner's mean is taken (for
    a planner whose deviation nothing has trained, or where a small change of plan needs quite
    another action, so that sampled plans are all noise)."""


@dataclass(frozen=True)
class Planner(Part):
    """A Gaussian planner and how fast it learns."""

    heading: ClassVar[Heading] = "planner"
    rate: float = named(3e-4, "planner_rate")
    """Adam's learning rate for the planner."""
    log_std_floor: float = 5.0
    """The planner's log standard deviation is at least minus this."""
    log_std_ceiling: float = named(1.0, "log_std_ceiling", signed=True)
    """The planner's log standard deviation is at most this. A fresh planner has about 0, so under a
    hard bound below −1 it begins at the bound, where nothing teaches it, and mostly stays there."""
    smooth_bounds: bool = False
    """Whether the bounds are approached smoothly, so that the deviation learns everywhere."""

    def problems(self) -> Iterator[str]:
        """Room between the bounds."""
        if self.log_std_ceiling < -self.log_std_floor:
            yield (
                f"a planner's log deviation cannot be above {-self.log_std_floor} (log_std_floor) "
                f"and below {self.log_std_ceiling} (log_std_ceiling): nothing lies between"
            )


@dataclass(frozen=True)
class DecoupledGradient(Part):
    """How the planner follows the critics through the skill."""

    heading: ClassVar[Heading] = "planner"
    value_unit: ValueUnit = "reward"
    """What DePG counts Q in beside the anchors: 'reward', as it is; 'deviation', of Q over the
    minibatch; 'gain', of what actions change of Q, which is the same whether states are all alike
    or good and bad. The last two are never less than 1."""


@dataclass(frozen=True)
class Calibration(Part):
    """The calibrated gradient, which anchors plans to what was really reached."""

    heading: ClassVar[Heading] = "planner"
    weight: float = named(0.1, "calibration")
    """Weight c of the calibrated gradient."""
    form: CalibrationWeight = named("min-max", "calibration_weight")
    """How Q becomes the weight of a real transition: compared with what is planned in the same
    state ('within-state'), or with the whole minibatch; 'constant' is plain likelihood."""
    loss: CalibrationFit = named("likelihood", "calibration_loss")
    """Maximum likelihood; or 'relative', in units of steps, see supervision_loss."""
    relabel: bool = False
    """Take Q at the skill's action for the transition instead of the action really taken."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("calibration_weight", "calibration_loss", "relabel"),
            lambda part, _: part.weight == 0,
            "calibration is 0",
        ),
        Rule(("relabel",), lambda part, _: part.form == "constant", "no Q is in the weight"),
    )


@dataclass(frozen=True)
class Supervision(Part):
    """The supervised planner loss, which anchors plans to the demonstrations."""

    heading: ClassVar[Heading] = "planner"
    weight: float = named(0.1, "supervision")
    """Weight λ_h of the supervised planner loss."""
    loss: PlannerFit = named("likelihood", "supervision_loss")
    """Maximum likelihood; squared error of the predicted mean or of a sample; or 'relative':
    likelihood weighted by the variance, in units of demonstrated steps, so that its pull depends
    neither on the planner's deviation nor on the task."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("supervision_loss",), lambda part, _: part.weight == 0, "supervision is 0"),
    )
