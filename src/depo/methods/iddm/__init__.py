"""GAIfO that also lessens the disagreement of inverse dynamics (Yang et al., 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from depo.methods.gaifo import OffPolicyGAIfO
from depo.methods.off_policy import presets, settings
from depo.methods.registry import OFF_POLICY, Implementation, MethodSpec, deferred
from depo.methods.settings_tree import Rule, named


@dataclass(frozen=True)
class OffPolicyIDDM(OffPolicyGAIfO):
    """GAIfO that also rewards the entropy of states, by a bound of I(s; (a,s')), beside the
    policy's own."""

    state_entropy: float = named(0.01, "state_entropy", heading="critic")
    """Weight λ_s of the bound of I(s; (a,s')) in the reward; the policy's entropy has the
    temperature."""
    information_rate: float = named(3e-4, "information_rate", heading="critic")
    """Adam's learning rate for the network that finds the bound."""
    rules: ClassVar[tuple[Rule, ...]] = (
        *settings.ENDS,
        Rule(("information_rate",), lambda s, _: s.state_entropy == 0, "state_entropy is 0"),
    )


_AUTHORS: dict[str, Any] = {
    "hidden": 100,
    "discriminator_hidden": 100,
    "termination": "zero",
    "average": 0.0,
    "clip_states": 0.0,
    "critic_norm": False,
    "gamma": 0.995,
    "pair_input": "states",
    "reward": "-log(1-d)",
    "reward_scale": 1.0,
    "gradient_penalty": 0.0,
    "temperature": 0.001,
    "tune_temperature": False,
}
"""GAIL's settings, on which it was built, with the policy's entropy at a fixed weight."""

METHODS = (
    MethodSpec(
        name="iddm",
        summary=(
            "GAIfO that also rewards the entropies of policy and states, which bound the "
            "disagreement of inverse dynamics."
        ),
        colour="#7f7f00",
        implementations={
            OFF_POLICY: Implementation(
                settings=OffPolicyIDDM,
                build=deferred("depo.methods.iddm.off_policy:IDDMMethod"),
                default_steps=presets.DEFAULT_STEPS,
                presets={
                    "fast": {**presets.FAST, **presets.FAST_REWARD},
                    "paper": _AUTHORS,
                    "recipe": {**presets.RECIPE, **presets.RECIPE_REWARD},
                },
                task_free=("recipe",),
            ),
        },
    ),
)
