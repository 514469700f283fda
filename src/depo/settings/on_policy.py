"""Settings of the on-policy methods, which learn on finite states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RewardForm = Literal["log-d", "-log(1-d)", "logit", "constant"]
GradientEstimator = Literal["exact", "straight-through", "score-function"]


@dataclass(frozen=True)
class OnPolicySettings:
    """How data are gathered and how often the run is looked at and saved."""

    batch_steps: int = 128
    """Environment steps in one iteration, over all copies of the environment."""
    copies: int = 8
    """Copies of the environment stepped side by side."""
    epsilon: float = 0.1
    """Share of uniformly random actions while gathering data (never in evaluation)."""
    hidden: int = 128
    """Units in every hidden layer."""
    gamma: float = 0.95
    """Discount, of the returns and of the exact occupancy measures."""
    evaluate_every: int = 1
    """Iterations between evaluations."""
    checkpoint_every: int = 25
    """Evaluations between checkpoints; environments are reset at each (exact resume)."""


@dataclass(frozen=True)
class SkillSettings:
    """Fitting the skill to all transitions so far, with a held-out fifth."""

    skill_rate: float = 3e-4
    """Adam's learning rate for the skill."""
    skill_batch: int = 64
    """Transitions in one skill step."""
    skill_steps: int = 20
    """Skill steps between two looks at the held-out transitions."""
    skill_rounds: int = 5
    """At most this many such rounds in one iteration."""
    skill_patience: int = 2
    """Stop the fit after this many rounds without 1% improvement on held-out transitions."""


@dataclass(frozen=True)
class CriticSettings:
    """Advantages and the passes over a batch that use them."""

    trace: float = 0.95
    """λ of generalised advantage estimation."""
    critic_rate: float = 3e-4
    """Adam's learning rate for the critic."""
    epochs: int = 10
    """Passes over each batch."""
    minibatch: int = 64
    """Transitions in one gradient step."""


@dataclass(frozen=True)
class AdversarySettings:
    """The discriminator and the reward made of it."""

    reward: RewardForm = "log-d"
    """Reward from the discriminator; 'constant' is a control that imitates nothing."""
    discriminator_rate: float = 3e-4
    """Adam's learning rate for the discriminator."""
    discriminator_steps: int = 1
    """Discriminator steps in one iteration, each on the whole batch."""


@dataclass(frozen=True)
class ActorSettings:
    """A plain policy trained by PPO."""

    actor_rate: float = 3e-4
    """Adam's learning rate for the policy."""
    clip: float = 0.1
    """PPO's clipping ε."""
    entropy: float = 0.0
    """Weight of the policy's entropy."""


@dataclass(frozen=True)
class PPO(ActorSettings, CriticSettings, OnPolicySettings):
    """Proximal policy optimisation on the environment's own reward."""


@dataclass(frozen=True)
class GAIfO(ActorSettings, AdversarySettings, CriticSettings, OnPolicySettings):
    """Generative adversarial imitation from observation: a plain policy, reward from D(s,s')."""


@dataclass(frozen=True)
class BCO(SkillSettings, OnPolicySettings):
    """Behavioural cloning from observation: the skill labels the demonstrations, π clones them."""

    actor_rate: float = 3e-3
    """Adam's learning rate for the policy."""
    actor_steps: int = 20
    """Cloning steps in one iteration."""


@dataclass(frozen=True)
class Supervised(SkillSettings, OnPolicySettings):
    """DePO (supervised): planner from the demonstrations alone, skill from experience."""

    planner_rate: float = 3e-3
    """Adam's learning rate for the planner."""
    planner_steps: int = 20
    """Planner steps in one iteration."""
    demo_batch: int = 64
    """Expert transitions in one planner step."""


@dataclass(frozen=True)
class PlannerGradientSettings(SkillSettings, AdversarySettings, CriticSettings, OnPolicySettings):
    """What the decoupled policy-gradient methods share."""

    planner_rate: float = 3e-4
    """Adam's learning rate for the planner."""
    demo_batch: int = 64
    """Expert transitions in one planner step."""
    entropy: float = 0.0
    """Weight of the planner's entropy."""


@dataclass(frozen=True)
class Agnostic(PlannerGradientSettings):
    """DePG alone: learns to act, plans arbitrary states."""

    gradient: GradientEstimator = "exact"
    """Estimator of the decoupled policy gradient."""


@dataclass(frozen=True)
class Calibrated(PlannerGradientSettings):
    """CDePG + λ_h·L_h, what the authors ran on the grid."""

    calibration: float = 1.0
    """Weight c of the calibrated gradient."""
    supervision: float = 0.1
    """Weight λ_h of the supervised planner loss."""


@dataclass(frozen=True)
class DePO(Calibrated, Agnostic):
    """Decoupled policy optimisation: DePG + c·CDePG + λ_h·L_h."""


@dataclass(frozen=True)
class SkillTransfer(SkillSettings, OnPolicySettings):
    """A frozen planner in a new action space or dynamics: only the skill is learned."""


METHODS = {
    "depo": DePO,
    "depo-calibrated": Calibrated,
    "depo-agnostic": Agnostic,
    "depo-supervised": Supervised,
    "gaifo": GAIfO,
    "bco": BCO,
    "ppo": PPO,
    "transfer": SkillTransfer,
}
"""Settings by the method's name."""
