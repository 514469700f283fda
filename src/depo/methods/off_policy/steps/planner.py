"""The Gaussian planner, and the supervised step that anchors it to the expert."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs
from depo.losses import supervised_planner
from depo.methods.method import Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import Pace, Shape
from depo.methods.off_policy.steps.expert import draw_pairs
from depo.methods.off_policy.steps.gradient import step
from depo.methods.optimisation import Trained, fresh
from depo.models.planner import GaussianPlanner


@runtime_checkable
class PlannerSettings(Protocol):
    """What the steps of a planner read of a method's settings."""

    @property
    def networks(self) -> parts.Networks:
        """What actor, planner and critics share."""

    @property
    def planner(self) -> parts.Planner:
        """The planner."""


def new_planner(
    key: Key[Array, ""], shape: Shape, s: PlannerSettings, pace: Pace
) -> Trained[GaussianPlanner]:
    """A planner about to be trained."""
    bounds = (-s.planner.log_std_floor, s.planner.log_std_ceiling)
    hidden, smooth = shape.layers(s.networks.hidden), s.planner.smooth_bounds
    model = GaussianPlanner(key, shape.normaliser, hidden, shape.predicts, bounds, smooth=smooth)
    return fresh(model, planner_optimiser(s, pace))


def planner_optimiser(s: PlannerSettings, pace: Pace) -> optax.GradientTransformation:
    """Adam at the planner's rate."""
    return pace.of_planner().adam(s.planner.rate, s.networks.adam_beta)


def fit_planner(
    trained: Trained[GaussianPlanner],
    expert: Pairs,
    size: int,
    form: parts.PlannerFit,
    optimiser: optax.GradientTransformation,
    key: Key[Array, ""],
) -> tuple[Trained[GaussianPlanner], Metrics]:
    """One step of L_h on as many expert transitions."""
    draw, guess = jax.random.split(key)
    state, next_state = draw_pairs(expert, draw, size)

    def loss(planner: GaussianPlanner) -> tuple[Float[Array, ""], Float[Array, ""]]:
        plan = planner.distribution(state)
        difference = planner.difference(state, planner.select(next_state))
        spread = jnp.mean(jnp.exp(plan.log_std))
        return supervised_planner.of_distribution(plan, difference, form, guess), spread

    planner, value, spread = step(trained, optimiser, loss)
    return planner, {"planner_loss": value, "plan_spread": spread}
