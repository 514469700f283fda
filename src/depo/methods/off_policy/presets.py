"""What presets of several off-policy methods share."""

from __future__ import annotations

from typing import Any

DEFAULT_STEPS = 60_000
FAST = {"minibatch": 128, "anneal": 0.1, "anneal_after": 0.6}
"""Rates that stayed high for good left single episodes that fall, on the tuning seed; rates that
fall from the beginning learn late."""
FAST_REWARD = {"reward_shift": 2.0}
"""Puts the reward of a beginner's transition near zero, where values begin, too."""
FAST_SKILL = {"skill_rate": 1e-3}
STEADY = {"anneal": 1.0, "anneal_after": 0.0}
"""Rates that stay: where falling ones came too early (InvertedPendulum learns to the last step), or
the runs we publish were made before they were tried."""

RECIPE: dict[str, Any] = {
    **FAST,
    "updates_per_step": 2.0,
    "hidden": 0,
    "quiet": 0.5,
    "demo_episodes": 0,
    "wide_units": True,
}
"""What knows no task, of every method that learns by imitation: two updates a step, sizes by the
number of features and actions, half of the bursts without noise, as many recordings as make 4,000
states, units that grow where an expert hardly moves."""
RECIPE_REWARD: dict[str, Any] = {
    "termination": "relative",
    "reward_centre": 1e-3,
    "reward_spread": 1e-3,
    "pair_input": "states",
    "discriminator_hidden": 0,
}
"""The logit in units of its own deviation, around its own mean; an end one deviation of the values
below what is usual."""
RECIPE_REWARD_OF_ACTIONS = {n: v for n, v in RECIPE_REWARD.items() if n != "pair_input"}
"""The same where the discriminator sees no pairs of states."""
RECIPE_SKILL: dict[str, Any] = {**FAST_SKILL, "skill_hidden": 0, "step_units": True}

AUTHORS_GATHERING: dict[str, Any] = {
    "batch_steps": 1_000,
    "replay": 20_000,
    "termination": "ignored",
    "average": 0.0,
    "random_actions": False,
    "evaluate_every": 10,
    "checkpoint_every": 2,
}
AUTHORS_NETWORKS = {"adam_beta": 0.25}
AUTHORS_CRITIC = {"critic_norm": False}
AUTHORS_COORDINATES = {"clip_states": 0.0}
AUTHORS_PAIRS = {"pair_input": "states"}
AUTHORS_REWARD = {"reward": "log-d", "reward_scale": 2.0, "logit_clip": 10.0}
AUTHORS_SKILL = {
    "skill_rate": 1e-4,
    "skill_depth": 4,
    "skill_schedule": "refit",
    "refit_every": 10_000,
    "refit_patience": 5,
    "refit_passes": 1_000,
}
AUTHORS_NOISE = {"noise": 1.0}
AUTHORS_ACTOR = {"temperature": 0.2, "output_penalty": 1e-3}
AUTHORS_SPREAD = {"log_std_floor": 20.0, "log_std_ceiling": 2.0}
AUTHORS_PENALTY = {"output_penalty": 1e-3}
FIXED_TEMPERATURE = {"temperature": 0.0, "tune_temperature": False}
