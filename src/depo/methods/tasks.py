"""What belongs to a task under a preset, whatever the method is.

A method takes those of the settings that it has. What belongs to one method is beside that method.
"""

from __future__ import annotations

from typing import Any

from depo.methods.off_policy.presets import STEADY
from depo.methods.registry import OFF_POLICY, LearnerName

_DRIVING = {
    "demo_episodes": 1_000,
    "plans": "ego vx,ego vy",
    "copies": 50,
    "batch_steps": 1_000,
    "updates_per_step": 0.1,
    "evaluate_every": 20,
}
"""All training vehicles demonstrate; the formula is the skill, so velocities are all that is
planned."""
_WITHOUT_DEMOS = {"demo_share": 0.0}
"""Where it seemed slower (InvertedPendulum)."""
_MILD_FALLS = {"absorbing_logit": 3.0, "log_std_ceiling": -1.5}
"""Where a fall costs much more than walking gains, standing is the best an agent knows; and plans
noisier than this make the noise they are then fitted to (Walker2d, lab note 22)."""

_VECTORS: dict[str, dict[str, dict[str, Any]]] = {
    "fast": {
        "InvertedPendulum-v5": {
            **STEADY,
            **_WITHOUT_DEMOS,
            "hidden": 64,
            "skill_hidden": 64,
            "discriminator_hidden": 64,
        },
        "depo/Driving-v0": {
            **_DRIVING,
            **STEADY,
            "updates_per_step": 0.2,
            "minibatch": 128,
            "hidden": 128,
            "random_steps": 2_000,
            "reward_shift": 0.0,
            "reward_centre": 0.001,
        },
        "Walker2d-v5": {**STEADY, "reward_shift": 0.0, "reward_centre": 0.001, **_MILD_FALLS},
        "HalfCheetah-v5": {"gradient_penalty": 1.0, "reward_shift": 4.5},
    },
    "paper": {
        "depo/Driving-v0": {
            **_DRIVING,
            "copies": 20,
            "evaluate_every": 100,
            "replay": 1_000_000,
            "termination": "zero",
            "reward": "-log(1-d)",
            "epsilon": 0.9,
            "epsilon_decay": 0.5,
            "epsilon_every": 100_000,
            "gradient_penalty": 8.0,
            "output_penalty": 0.0,
        },
        "InvertedPendulum-v5": {
            "standardise": False,
            "updates_per_step": 0.1,
            "gradient_penalty": 4.0,
        },
        "Hopper-v5": {"gradient_penalty": 4.0},
        "Walker2d-v5": {"gradient_penalty": 8.0},
        "HalfCheetah-v5": {"gradient_penalty": 0.5},
        "Humanoid-v5": {"gradient_penalty": 16.0, "updates_per_step": 0.1},
        "Ant-v5": {"gradient_penalty": 0.5},
    },
}

SHARED = _VECTORS["fast"]
"""Of every method but those that have rules instead."""
TASKS: dict[LearnerName, dict[str, dict[str, dict[str, Any]]]] = {OFF_POLICY: _VECTORS}
"""Learner, preset, task: settings that differ again."""
