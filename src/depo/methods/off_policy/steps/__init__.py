"""The steps off-policy methods are put together from; each returns new models and metrics."""

from depo.methods.off_policy.steps.actor import new_actor
from depo.methods.off_policy.steps.critics import CriticSettings, new_critics, update_critics
from depo.methods.off_policy.steps.discriminator import (
    AdversarySettings,
    new_discriminator,
    update_discriminator,
    update_reward,
)
from depo.methods.off_policy.steps.ends import ENDS, end_value, follow_ends, new_ends
from depo.methods.off_policy.steps.expert import draw_pairs, draw_steps
from depo.methods.off_policy.steps.gradient import step
from depo.methods.off_policy.steps.planner import (
    PlannerSettings,
    fit_planner,
    new_planner,
    planner_optimiser,
)
from depo.methods.off_policy.steps.reward import (
    RewardSettings,
    RewardUnits,
    discriminator_reward,
    follow_reward,
    nothing_usual,
    reward_of,
    standardised_reward,
)
from depo.methods.off_policy.steps.skill import (
    SkillSettings,
    new_skill,
    skill_loss,
    skill_optimiser,
    update_skill,
)

__all__ = [
    "ENDS",
    "AdversarySettings",
    "CriticSettings",
    "PlannerSettings",
    "RewardSettings",
    "RewardUnits",
    "SkillSettings",
    "discriminator_reward",
    "draw_pairs",
    "draw_steps",
    "end_value",
    "fit_planner",
    "follow_ends",
    "follow_reward",
    "new_actor",
    "new_critics",
    "new_discriminator",
    "new_ends",
    "new_planner",
    "new_skill",
    "nothing_usual",
    "planner_optimiser",
    "reward_of",
    "skill_loss",
    "skill_optimiser",
    "standardised_reward",
    "step",
    "update_critics",
    "update_discriminator",
    "update_reward",
    "update_skill",
]
