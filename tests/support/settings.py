"""Settings of a run of seconds, with states that are vectors."""

from __future__ import annotations

SMALL = {
    "hidden": 32,
    "minibatch": 64,
    "batch_steps": 100,
    "random_steps": 400,
    "evaluate_every": 5,
    "checkpoint_every": 2,
    "average": 0.02,  # a run of a thousand updates has no time for a slower one
}
IMITATION = SMALL | {"demo_episodes": 3}
SKILL = IMITATION | {"skill_hidden": 32, "skill_rate": 3e-3}
ADVERSARIAL = {
    "actor_rate": 3e-3,
    "critic_rate": 3e-3,
    "discriminator_rate": 3e-3,
    "gradient_penalty": 0.1,
}
"""What thousands of updates learn from a discriminator, where defaults need ten times as many."""
SHORT = {"steps": 600, "random_steps": 200, "evaluate_every": 1, "checkpoint_every": 2}
"""Several checkpoints within a second."""
