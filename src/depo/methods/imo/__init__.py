"""Internal model from observations: reward for coming near to where the expert would be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Heading, MethodSettings, Part, named

Nearness = Literal["gaussian", "tanh"]


@dataclass(frozen=True)
class PredictionReward(Part):
    """The reward made of what the predictor expects."""

    heading: ClassVar[Heading] = "critic"
    nearness: Nearness = "gaussian"
    """ψ, which makes a reward of the distance d to the predicted state: exp(−d²/2), so that every
    step pays; or tanh(−d), so that every step costs and an early end is worth having."""
    width: float = named(3.0, "nearness_width")
    """The distance that counts as 1: in lengths of a typical step (step_units), or in standardised
    units per feature."""
    scale: float = named(1.0, "reward_scale")
    """Factor on the reward."""

    def problems(self) -> Iterator[str]:
        """A width that can be divided by."""
        if self.width == 0:
            yield "nearness_width 0 leaves no reward anywhere: give a distance above 0, such as 3"


@dataclass(frozen=True)
class OffPolicyIMO(MethodSettings):
    """Internal model from observations: reward from a predictor of the expert's next state."""

    collection: settings.Collection = settings.Collection(termination="zero")
    exploration: settings.Exploration = settings.Exploration()
    learning: settings.Learning = settings.Learning()
    saving: settings.Saving = settings.Saving()
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates(step_units=True)
    features: settings.Features = settings.Features()
    planner: settings.Planner = settings.Planner()
    supervision_loss: settings.PlannerFit = named(
        "likelihood", "supervision_loss", heading="planner"
    )
    """How the predictor is fitted: maximum likelihood, or squared error of its mean or a sample."""
    actor: settings.Actor = settings.Actor()
    critic: settings.Critic = settings.Critic()
    prediction: PredictionReward = PredictionReward()

    def problems(self) -> Iterator[str]:
        """No discriminator to make an absorbing state of."""
        yield from settings.end_problem(self, "imo", "a predictor's, whose zero is known")


METHODS = (
    MethodSpec(
        name="imo",
        summary="Internal model from observations: reward from a predictor of the expert's state.",
        colour="#b5651d",
        exports=("planner",),
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyIMO,
                build=deferred("depo.methods.imo.off_policy:IMOMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": presets.FAST,
                    "paper": {
                        **presets.AUTHORS_COORDINATES,
                        "supervision_loss": "squared",
                        "step_units": False,
                        "average": 0.0,
                        "replay": 1_000_000,
                    },
                    "recipe": {
                        **presets.RECIPE,
                        "supervision_loss": "relative",
                        "smooth_bounds": True,
                    },
                },
                task_free=("recipe",),
            ),
        },
    ),
)
