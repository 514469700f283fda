"""Settings of the off-policy methods, which learn on vector states by soft actor-critic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from depo.settings.on_policy import RewardForm

Termination = Literal["absorbing", "ignored", "zero"]
PairInput = Literal["difference", "states"]
CalibrationWeight = Literal["min-max", "positive-normal", "shifted", "constant"]
PlannerFit = Literal["likelihood", "squared", "sampled"]
SkillFit = Literal["actions", "effects"]
SkillSchedule = Literal["every-update", "refit"]


@dataclass(frozen=True)
class OffPolicySettings:
    """How data are gathered, kept and reused, and how often the run is looked at and saved."""

    batch_steps: int = 250
    """Environment steps gathered between two bursts of updates, over all copies."""
    copies: int = 1
    """Copies of the environment stepped side by side."""
    updates_per_step: float = 1.0
    """Gradient steps for each environment step."""
    random_steps: int = 5_000
    """Environment steps before the first update (they count)."""
    random_actions: bool = True
    """Whether those steps take uniformly random actions, or the untrained policy's."""
    epsilon: float = 0.0
    """Share of uniformly random actions while gathering data afterwards."""
    epsilon_decay: float = 1.0
    """Factor on ε after every ``epsilon_every`` steps; 1: it stays."""
    epsilon_every: int = 10_000
    """Environment steps between two such factors."""
    minibatch: int = 256
    """Transitions in one gradient step."""
    replay: int = 200_000
    """The newest transitions that critic, policy and discriminator learn from."""
    hidden: int = 256
    """Units in every hidden layer of actor, planner and critic."""
    gamma: float = 0.99
    """Discount."""
    termination: Termination = "absorbing"
    """An episode's end in training: 'absorbing' goes on for ever with a poor reward (no bias for
    or against surviving), 'ignored' plays on to the time limit, 'zero' is worth nothing."""
    evaluate_every: int = 20
    """Bursts between evaluations."""
    checkpoint_every: int = 4
    """Evaluations between checkpoints; environments are reset at each (exact resume)."""
    average: float = 0.001
    """The policy that is evaluated and kept is a running average of the trained one, which it
    follows at this rate for each update; 0: it is the trained one itself."""
    anneal: float = 1.0
    """Learning rates fall linearly to this share of themselves at the run's end; 1: they stay."""
    anneal_after: float = 0.0
    """The share of the run that is over when they begin to fall."""
    adam_beta: float = 0.9
    """Adam's β₁ for actor, planner and critics."""


@dataclass(frozen=True)
class CriticSettings:
    """Twin critics with slowly following targets."""

    critic_rate: float = 3e-4
    """Adam's learning rate for the critics."""
    critic_norm: bool = True
    """Layer normalisation (no learned scale) in the critics."""
    follow: float = 0.005
    """τ: how far the target critics move towards the critics in one update."""


@dataclass(frozen=True)
class ActorSettings:
    """A tanh-Gaussian policy trained by soft actor-critic."""

    actor_rate: float = 3e-4
    """Adam's learning rate for the policy."""
    temperature: float = 0.2
    """Weight α of the policy's entropy, at first."""
    tune_temperature: bool = True
    """Whether α is adjusted so that the entropy stays near −(number of action dimensions)."""
    output_penalty: float = 0.0
    """Weight of the mean square of the policy's outputs before the tanh, and of its log-std."""


@dataclass(frozen=True)
class DemoSettings:
    """Which demonstrations are seen, and in which coordinates."""

    demo_episodes: int = 4
    """Episodes each seed draws from the demonstrations; the others are held out."""
    standardise: bool = True
    """States in units of the drawn demonstrations' mean and standard deviation."""
    clip_states: float = 20.0
    """Bound on standardised coordinates; 0: none."""
    pair_input: PairInput = "difference"
    """How skill and discriminator see (s,s'): as (s, s'−s), or as (s, s')."""


@dataclass(frozen=True)
class AdversarySettings(DemoSettings):
    """The discriminator and the reward made of it."""

    reward: RewardForm = "logit"
    """Reward from the discriminator; 'constant' is a control that imitates nothing."""
    reward_scale: float = 0.2
    """Factor on the reward."""
    reward_shift: float = 0.0
    """Added before scaling."""
    reward_centre: float = 0.0
    """Rate, for each update, at which the mean reward is followed; it is subtracted from every
    reward, the absorbed agent's too, so that values stay near zero."""
    logit_clip: float = 10.0
    """Bound on the logit the reward is made of; 0: none."""
    absorbing_logit: float = 5.0
    """The logit, with a minus, whose reward an absorbed agent earns for ever."""
    discriminator_rate: float = 3e-4
    """Adam's learning rate for the discriminator."""
    discriminator_hidden: int = 128
    """Units in its two hidden layers."""
    gradient_penalty: float = 4.0
    """Weight of (‖∇logit‖ − 1)² between expert and agent transitions."""


@dataclass(frozen=True)
class SkillSettings(DemoSettings):
    """Which features are planned, and fitting the skill to experience by squared error."""

    plans: str = ""
    """The features of a state that are planned, by name or number, comma-separated (where the
    others are not ours to move); 'motors': the velocities of joints with a motor (MuJoCo's tasks);
    empty: all."""
    skill_rate: float = 3e-4
    """Adam's learning rate for the skill."""
    skill_hidden: int = 256
    """Units in its hidden layers."""
    skill_depth: int = 2
    """Hidden layers of the skill."""
    noise: float = 0.3
    """σ of the fixed Gaussian noise before the skill's tanh while exploring."""
    skill_memory: bool = False
    """Whether the skill also sees the state before: where observations are clipped or delayed,
    (s,s') alone does not tell the action. The planner never does."""
    skill_replay: int = 1_000_000
    """The newest transitions the skill learns from."""
    skill_schedule: SkillSchedule = "every-update"
    """One skill step beside every other update, or refits to convergence at intervals."""
    refit_every: int = 10_000
    """Refits: environment steps between them."""
    refit_patience: int = 5
    """Refits: passes without 1% gain on the held-out transitions before stopping."""
    refit_passes: int = 100
    """Refits: at most this many passes over the data."""
    first_fit_passes: int = 100
    """Refits: passes in the first one, which has no validation."""


@dataclass(frozen=True)
class PlannerSettings:
    """A Gaussian planner and how fast it learns."""

    planner_rate: float = 3e-4
    """Adam's learning rate for the planner."""
    log_std_floor: float = 5.0
    """The planner's log standard deviation is at least minus this."""
    log_std_ceiling: float = 1.0
    """The planner's log standard deviation is at most this. A hard bound: a fresh planner has about
    0, so below −1 it begins at the bound, where nothing teaches it, and mostly stays there."""
    sample_plans: bool = True
    """Whether plans are sampled while gathering and learning; off, the planner's mean is taken (for
    a planner whose deviation nothing has trained, or where a small change of plan needs quite
    another action, so that sampled plans are all noise)."""


@dataclass(frozen=True)
class CalibrationSettings:
    """The calibrated gradient, which anchors plans to what was really reached."""

    calibration: float = 0.1
    """Weight c of the calibrated gradient."""
    calibration_weight: CalibrationWeight = "min-max"
    """How Q becomes the weight of a real transition; 'constant' is plain likelihood."""
    relabel: bool = False
    """Take Q at the skill's action for the transition instead of the action really taken."""


@dataclass(frozen=True)
class SAC(ActorSettings, CriticSettings, OffPolicySettings):
    """Soft actor-critic on the environment's own reward: how experts are made."""

    termination: Termination = "zero"
    """An episode's end in training: 'zero' is worth nothing, 'ignored' plays on."""
    reward_scale: float = 1.0
    """Factor on the reward."""
    replay: int = 1_000_000
    """The newest transitions that critic and policy learn from."""


@dataclass(frozen=True)
class GAIfO(ActorSettings, CriticSettings, AdversarySettings, OffPolicySettings):
    """Generative adversarial imitation from observation: a plain policy, reward from D(s,s')."""


@dataclass(frozen=True)
class GAIfODP(GAIfO):
    """GAIfO with a decoupled policy, planner and skill trained together by the policy gradient."""

    plan_difference: bool = True
    """Whether the planner's output is added to the state, or is the next state itself."""
    skill_depth: int = 2
    """Hidden layers of the skill."""


@dataclass(frozen=True)
class BCO(SkillSettings, OffPolicySettings):
    """Behavioural cloning from observation: the skill labels the demonstrations, π clones them."""

    actor_rate: float = 3e-4
    """Adam's learning rate for the policy."""
    clone_samples: bool = False
    """Compare random actions, of policy and skill, rather than means; either learns its own noise
    (the authors' way)."""


@dataclass(frozen=True)
class Supervised(PlannerSettings, SkillSettings, OffPolicySettings):
    """DePO (supervised): planner from the demonstrations alone, skill from experience."""

    supervision_loss: PlannerFit = "likelihood"
    """Maximum likelihood, or squared error of the predicted mean or of a sample."""


@dataclass(frozen=True)
class Agnostic(
    PlannerSettings, SkillSettings, CriticSettings, AdversarySettings, OffPolicySettings
):
    """DePG alone: learns to act, plans arbitrary states."""

    output_penalty: float = 0.0
    """Weight of the mean square of the skill's output before the tanh."""
    demo_share: float = 0.0
    """Demonstrated transitions the critics learn from beside each minibatch, as a share of it;
    their actions are those the skill would take."""


@dataclass(frozen=True)
class DePO(CalibrationSettings, Agnostic):
    """Decoupled policy optimisation: DePG + c·CDePG + λ_h·L_h."""

    supervision: float = 0.1
    """Weight λ_h of the supervised planner loss."""
    supervision_loss: PlannerFit = "likelihood"
    """Maximum likelihood, or squared error of the predicted mean or of a sample."""


@dataclass(frozen=True)
class DePORL(
    CalibrationSettings, PlannerSettings, SkillSettings, CriticSettings, OffPolicySettings
):
    """The decoupled policy learned from the environment's own reward: DePG + c·CDePG."""

    demo_episodes: int = 4
    """With --demos: episodes each seed draws, whose statistics standardise states."""
    standardise: bool = True
    """States in units of mean and standard deviation: of the demonstrations where there are any,
    otherwise of the steps before the first update, fixed there for good."""
    termination: Termination = "zero"
    """An episode's end in training: 'zero' is worth nothing, 'ignored' plays on."""
    reward_scale: float = 0.1
    """Factor on the reward: it sets how much Q counts beside the calibrated gradient."""
    replay: int = 1_000_000
    """The newest transitions that critic and planner learn from."""
    output_penalty: float = 0.0
    """Weight of the mean square of the skill's output before the tanh."""


@dataclass(frozen=True)
class SkillTransfer(DePO):
    """A frozen planner under other actions or dynamics: only the skill is learned.

    What belongs to critics and discriminator is used with ``unfreeze_after`` only; the planner
    keeps its own features and the bounds of its deviation.
    """

    standardise: bool = True
    """Not used: the planner brings its own statistics, which planner and skill both keep to."""
    clip_states: float = 20.0
    """Not used: the planner brings its own bound."""
    extremes: float = 0.0
    """Share of the numbers in random actions that are at a bound, −1 or 1, instead of uniform."""
    skill_fit: SkillFit = "actions"
    """What the skill is fitted to: the actions taken, or the effects wanted, through a forward
    model that is learned beside it (right where many actions have the same effect)."""
    skill_modes: int = 1
    """Heads of the skill: with several, each action of many with the same effect may have its own
    head, and the likeliest acts."""
    unfreeze_after: int | None = None
    """Environment steps after which the planner is fine-tuned by DePO's updates (needs
    demonstrations); critics and discriminator learn from the beginning. None: never."""


def epsilon_at(settings: OffPolicySettings, steps: int) -> float:
    """The share of uniformly random actions after so many steps.

    >>> round(epsilon_at(SkillTransfer(epsilon=0.99, epsilon_decay=0.1), 25_000), 4)
    0.0099
    """
    return settings.epsilon * settings.epsilon_decay ** (steps // settings.epsilon_every)


def unfreezes(settings: object) -> bool:
    """Whether a transfer's planner is fine-tuned at some time."""
    return isinstance(settings, SkillTransfer) and settings.unfreeze_after is not None


def remembers(settings: object) -> bool:
    """Whether a method's skill also sees the state before."""
    return isinstance(settings, SkillSettings) and settings.skill_memory


METHODS: dict[str, type[OffPolicySettings]] = {
    "depo": DePO,
    "depo-agnostic": Agnostic,
    "depo-supervised": Supervised,
    "depo-rl": DePORL,
    "gaifo": GAIfO,
    "gaifo-dp": GAIfODP,
    "bco": BCO,
    "sac": SAC,
    "transfer": SkillTransfer,
}
"""Settings by the method's name."""
