"""Behavioural cloning of recorded actions (Pomerleau, 1991)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import MethodSettings, named

CloneLoss = Literal["likelihood", "squared"]
STEPS = 5_000
"""Of the environment, which teach nothing: learning takes so many updates for each of them."""


@dataclass(frozen=True)
class OffPolicyBC(MethodSettings):
    """Behavioural cloning: the policy learns the recorded actions; steps in the environment, which
    are counted, teach it nothing."""

    collection: settings.Collection = settings.Collection()
    exploration: settings.Exploration = settings.Exploration(random_steps=250)
    learning: settings.Learning = settings.Learning(updates_per_step=4.0)
    saving: settings.Saving = settings.Saving(evaluate_every=4)
    networks: settings.Networks = settings.Networks()
    demos: settings.Demos = settings.Demos()
    coordinates: settings.Coordinates = settings.Coordinates()
    actor_rate: float = named(3e-4, "actor_rate", heading="policy")
    """Adam's learning rate for the policy."""
    clone_loss: CloneLoss = named("squared", "clone_loss", heading="policy")
    """Maximum likelihood of the recorded actions, or squared error of the policy's mean; discrete
    actions have the likelihood."""
    absent: ClassVar[Mapping[str, str]] = {"gamma": settings.NO_RETURN}


_RECIPE: dict[str, Any] = {**presets.RECIPE, "updates_per_step": 4.0}

METHODS = (
    MethodSpec(
        name="bc",
        summary="Behavioural cloning: a plain policy learns the recorded actions.",
        colour="#1f77b4",
        needs_actions=True,
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyBC,
                build=deferred("depo.methods.bc.off_policy:BCMethod"),
                default_steps=STEPS,
                presets={
                    "fast": presets.FAST,
                    "paper": {
                        "hidden": 100,
                        "minibatch": 128,
                        "average": 0.0,
                        "clip_states": 0.0,
                        "clone_loss": "likelihood",
                    },
                    "recipe": _RECIPE,
                },
                task_free=("recipe",),
            ),
        },
    ),
)
