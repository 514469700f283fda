"""The parts that settings of off-policy methods, on vector states, are made of. No JAX here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from depo.methods.on_policy.settings import (
    RewardForm,
    batch_problems,
    epsilon_problems,
    gamma_problems,
)
from depo.methods.settings_tree import Facts, Heading, Part, Rule, named

Termination = Literal["relative", "absorbing", "ignored", "zero"]
PairInput = Literal["difference", "states"]
CalibrationWeight = Literal["min-max", "positive-normal", "shifted", "constant", "within-state"]
CalibrationFit = Literal["likelihood", "relative"]
PlannerFit = Literal["likelihood", "squared", "sampled", "relative"]
SkillFit = Literal["actions", "effects"]
SkillSchedule = Literal["every-update", "refit"]


@dataclass(frozen=True)
class Collection(Part):
    """How data are gathered and kept."""

    heading: ClassVar[Heading] = "data"
    batch_steps: int = 250
    """Environment steps gathered between two bursts of updates, over all copies."""
    copies: int = 1
    """Copies of the environment stepped side by side."""
    replay: int = 200_000
    """The newest transitions that critic, policy and discriminator learn from."""
    termination: Termination = "absorbing"
    """An episode's end in training: 'relative' is worth ``end_cost`` deviations less than the mean
    value of a minibatch, and no more than beginning anew (no bias for or against surviving); where
    recorded episodes end by themselves, one like theirs is worth its last step for ever;
    'absorbing' goes on for ever with a poor reward (where a discriminator makes it), 'ignored'
    plays on to the time limit, 'zero' is worth nothing."""
    vary: str = ""
    """What is redrawn at every reset while learning, so that a planner bears other dynamics:
    gravity, mass, friction, damping (of a MuJoCo model), gain of the motors, delay, as in
    gravity=0.7:1.15,gain=0.8:1.2,delay=0:2; 'own': the environment's vary(generator); empty:
    nothing. Evaluation is in the environment as it is."""

    def problems(self) -> Iterator[str]:
        """Steps that copies can share, and enough of them; ranges that can be drawn from."""
        yield from batch_problems(self.batch_steps, self.copies)
        if self.vary:
            from depo.environments.variation import parse_variation

            parse_variation(self.vary)


@dataclass(frozen=True)
class Exploration(Part):
    """What the agent does beside its policy."""

    heading: ClassVar[Heading] = "exploration"
    random_steps: int = 5_000
    """Environment steps before the first update (they count)."""
    random_actions: bool = True
    """Whether those steps take uniformly random actions, or the untrained policy's."""
    quiet: float = 0.0
    """Share of bursts afterwards that are gathered without noise, by the policy's mean: data from
    where it really goes, which noise may never reach."""
    epsilon: float = 0.0
    """Share of uniformly random actions while gathering data afterwards."""
    epsilon_decay: float = 1.0
    """Factor on ε after every ``epsilon_every`` steps; 1: it stays."""
    epsilon_every: int = 10_000
    """Environment steps between two such factors."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("epsilon_decay", "epsilon_every"), lambda part, _: part.epsilon == 0, "epsilon is 0"),
        Rule(("epsilon_every",), lambda part, _: part.epsilon_decay == 1, "epsilon_decay is 1"),
    )

    def problems(self) -> Iterator[str]:
        """A share is a share."""
        yield from epsilon_problems(self.epsilon)
        if not 0 <= self.quiet <= 1:
            yield f"quiet {self.quiet} is a share of bursts, from 0 to 1"

    def epsilon_at(self, steps: int) -> float:
        """The share of uniformly random actions after n steps.

        >>> round(Exploration(epsilon=0.99, epsilon_decay=0.1).epsilon_at(25_000), 4)
        0.0099
        """
        return self.epsilon * self.epsilon_decay ** (steps // self.epsilon_every)


@dataclass(frozen=True)
class Learning(Part):
    """How much is learned from the data, and at what pace."""

    heading: ClassVar[Heading] = "how long"
    updates_per_step: float = 1.0
    """Gradient steps for each environment step."""
    minibatch: int = named(256, "minibatch", heading="data")
    """Transitions in one gradient step."""
    average: float = named(0.001, "average", heading="policy")
    """The policy that is evaluated and kept is a running average of the trained one, which it
    follows at this rate for each update; 0: it is the trained one itself."""
    anneal: float = 1.0
    """Learning rates fall linearly to this share of themselves at the run's end; 1: they stay."""
    anneal_after: float = 0.0
    """The share of the run that is over when they begin to fall."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("anneal_after",), lambda part, _: part.anneal == 1, "anneal is 1"),
    )


@dataclass(frozen=True)
class Saving(Part):
    """How often the run is looked at and saved."""

    heading: ClassVar[Heading] = "saving"
    evaluate_every: int = 20
    """Bursts between evaluations."""
    checkpoint_every: int = 4
    """Evaluations between checkpoints; environments are reset at each (exact resume)."""


@dataclass(frozen=True)
class Networks(Part):
    """What actor, planner and critics share."""

    heading: ClassVar[Heading] = "policy"
    hidden: int = named(256, "hidden", derived=True)
    """Units in every hidden layer of actor, planner and critic; 0: by the number of features and
    actions."""
    adam_beta: float = 0.9
    """Adam's β₁ for actor, planner and critics."""


@dataclass(frozen=True)
class Critic(Part):
    """Twin critics with slowly following targets."""

    heading: ClassVar[Heading] = "critic"
    rate: float = named(3e-4, "critic_rate")
    """Adam's learning rate for the critics."""
    norm: bool = named(True, "critic_norm")
    """Layer normalisation (no learned scale) in the critics."""
    follow: float = 0.005
    """τ: how far the target critics move towards the critics in one update."""
    gamma: float = 0.99
    """Discount."""

    def problems(self) -> Iterator[str]:
        """A discount below one."""
        yield from gamma_problems(self.gamma)


@dataclass(frozen=True)
class Actor(Part):
    """A tanh-Gaussian policy trained by soft actor-critic."""

    heading: ClassVar[Heading] = "policy"
    rate: float = named(3e-4, "actor_rate")
    """Adam's learning rate for the policy."""
    temperature: float = 0.2
    """Weight α of the policy's entropy, at first."""
    tune_temperature: bool = True
    """Whether α is adjusted so that the entropy stays near −(number of action dimensions)."""
    output_penalty: float = 0.0
    """Weight of the mean square of the policy's outputs before the tanh, and of its log-std."""


@dataclass(frozen=True)
class Demos(Part):
    """Which demonstrations are seen."""

    heading: ClassVar[Heading] = "data"
    episodes: int = named(4, "demo_episodes", derived=True)
    """Episodes each seed draws from the demonstrations; the others are held out. 0: four, and more
    where episodes are short, until there are 4,000 states."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("demo_episodes",),
            lambda _, facts: not facts.has_demonstrations,
            "there are no demonstrations: give --demos too",
        ),
    )


@dataclass(frozen=True)
class Coordinates(Part):
    """The units that networks see states in."""

    heading: ClassVar[Heading] = "data"
    standardise: bool = True
    """States in units of mean and standard deviation: of the drawn demonstrations; where there are
    none, of the steps before the first update, fixed there for good."""
    clip: float = named(20.0, "clip_states")
    """Bound on standardised coordinates; 0: none."""
    step_units: bool = False
    """Whether plans, and targets as the skill sees them, are differences in units of each feature's
    typical step, instead of its deviation: of the same states as above."""
    wide_units: bool = False
    """Whether these units grow if the steps before the first update are typically beyond
    clip_states (an expert that balances hardly moves): a step to as far as they move, a deviation
    half the way to theirs, in orders of magnitude."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("clip_states", "step_units", "wide_units"),
            lambda part, _: not part.standardise,
            "standardise is off",
        ),
        Rule(
            ("wide_units",),
            lambda _, facts: not facts.has_demonstrations,
            "there are no demonstrations whose units could grow",
        ),
    )


@dataclass(frozen=True)
class PairView(Part):
    """How models see a transition."""

    heading: ClassVar[Heading] = "data"
    input: PairInput = named("difference", "pair_input")
    """How skill and discriminator see (s,s'): as (s, s'−s), or as (s, s'). With step_units the
    skill sees (s, s'−s)."""


@dataclass(frozen=True)
class Discriminator(Part):
    """The discriminator and the reward made of it."""

    heading: ClassVar[Heading] = "discriminator"
    reward: RewardForm = "logit"
    """Reward from the discriminator; 'constant' is a control that imitates nothing."""
    reward_scale: float = 0.2
    """Factor on the reward."""
    reward_shift: float = 0.0
    """Added before scaling."""
    reward_centre: float = 0.0
    """Rate, for each update, at which the mean reward is followed; it is subtracted from every
    reward, the absorbed agent's too, so that values stay near zero."""
    reward_spread: float = 0.0
    """Rate, for each update, at which the reward's deviation is followed; every reward is divided
    by it before scaling, so that the discriminator's slope does not matter; 0: it is not."""
    logit_clip: float = 10.0
    """Bound on the logit the reward is made of; 0: none."""
    absorbing_logit: float = 5.0
    """The logit, with a minus, whose reward an absorbed agent earns for ever."""
    end_cost: float = 1.0
    """Where an end is relative: how many standard deviations of the target critics' values it lies
    below their mean."""
    rate: float = named(3e-4, "discriminator_rate")
    """Adam's learning rate for the discriminator."""
    hidden: int = named(128, "discriminator_hidden", derived=True)
    """Units in its two hidden layers; 0: half of what ``hidden`` 0 stands for."""
    gradient_penalty: float = 4.0
    """Weight of (‖∇logit‖ − 1)² between expert and agent transitions."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("logit_clip", "absorbing_logit"),
            lambda part, _: part.reward == "constant",
            "reward is 'constant'",
        ),
    )


@dataclass(frozen=True)
class DemoTransitions(Part):
    """Demonstrated transitions for the critics."""

    heading: ClassVar[Heading] = "critic"
    share: float = named(0.0, "demo_share")
    """Demonstrated transitions the critics learn from beside each minibatch, as a share of it;
    their actions are those the skill would take."""


@dataclass(frozen=True)
class Features(Part):
    """Which features are planned."""

    heading: ClassVar[Heading] = "planner"
    plans: str = ""
    """The features of a state that are planned, by name or number, comma-separated (where the
    others are not ours to move); 'motors': the velocities of joints with a motor (MuJoCo's tasks);
    empty: all."""


@dataclass(frozen=True)
class Refits(Part):
    """Fitting the skill to convergence at intervals."""

    heading: ClassVar[Heading] = "skill"
    every: int = named(10_000, "refit_every")
    """Refits: environment steps between them."""
    patience: int = named(5, "refit_patience")
    """Refits: passes without 1% gain on the held-out transitions before stopping."""
    passes: int = named(100, "refit_passes")
    """Refits: at most this many passes over the data."""


@dataclass(frozen=True)
class FirstFit(Part):
    """The first refit, which has no validation."""

    heading: ClassVar[Heading] = "skill"
    passes: int = named(100, "first_fit_passes")
    """Refits: passes in the first one, which has no validation."""


@dataclass(frozen=True)
class Skill(Part):
    """Fitting the skill to experience by squared error."""

    heading: ClassVar[Heading] = "skill"
    rate: float = named(3e-4, "skill_rate")
    """Adam's learning rate for the skill."""
    hidden: int = named(256, "skill_hidden", derived=True)
    """Units in its hidden layers; 0: by the number of features and actions."""
    depth: int = named(2, "skill_depth")
    """Hidden layers of the skill."""
    memory: bool = named(False, "skill_memory")
    """Whether the skill also sees the state before: where observations are clipped or delayed,
    (s,s') alone does not tell the action. The planner never does."""
    replay: int = named(1_000_000, "skill_replay")
    """The newest transitions the skill learns from."""
    schedule: SkillSchedule = named("every-update", "skill_schedule")
    """One skill step beside every other update, or refits to convergence at intervals."""
    refits: Refits = Refits()
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("refit_every", "refit_patience", "refit_passes"),
            lambda part, _: part.schedule != "refit",
            "skill_schedule is not 'refit'",
        ),
        Rule(
            (
                "skill_rate",
                "skill_hidden",
                "skill_depth",
                "skill_schedule",
                "refit_every",
                "refit_patience",
                "refit_passes",
            ),
            lambda _, facts: bool(facts.formula),
            "the skill is a formula, which learns nothing",
        ),
    )


def is_formula(_: Any, facts: Facts) -> bool:
    """Whether the skill learns nothing."""
    return bool(facts.formula)


@dataclass(frozen=True)
class SkillNoise(Part):
    """How the skill explores."""

    heading: ClassVar[Heading] = "exploration"
    noise: float = 0.3
    """σ of the fixed Gaussian noise before the skill's tanh while exploring."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("noise",), is_formula, "the skill is a formula, which has no noise"),
    )


@dataclass(frozen=True)
class SkillOutput(Part):
    """What keeps the skill's output in bounds."""

    heading: ClassVar[Heading] = "skill"
    penalty: float = named(0.0, "output_penalty")
    """Weight of the mean square of the skill's output before the tanh."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("output_penalty",), is_formula, "the skill is a formula, which has no tanh"),
    )


@dataclass(frozen=True)
class PlanSampling(Part):
    """Whether plans are random."""

    heading: ClassVar[Heading] = "planner"
    sample: bool = named(True, "sample_plans")
    """Whether plans are sampled while gathering and learning; off, the planner's mean is taken (for
    a planner whose deviation nothing has trained, or where a small change of plan needs quite
    another action, so that sampled plans are all noise)."""


@dataclass(frozen=True)
class Planner(Part):
    """A Gaussian planner and how fast it learns."""

    heading: ClassVar[Heading] = "planner"
    rate: float = named(3e-4, "planner_rate")
    """Adam's learning rate for the planner."""
    log_std_floor: float = 5.0
    """The planner's log standard deviation is at least minus this."""
    log_std_ceiling: float = named(1.0, "log_std_ceiling", signed=True)
    """The planner's log standard deviation is at most this. A fresh planner has about 0, so under a
    hard bound below −1 it begins at the bound, where nothing teaches it, and mostly stays there."""
    smooth_bounds: bool = False
    """Whether the bounds are approached smoothly, so that the deviation learns everywhere."""

    def problems(self) -> Iterator[str]:
        """Room between the bounds."""
        if self.log_std_ceiling < -self.log_std_floor:
            yield (
                f"a planner's log deviation cannot be above {-self.log_std_floor} (log_std_floor) "
                f"and below {self.log_std_ceiling} (log_std_ceiling): nothing lies between"
            )


@dataclass(frozen=True)
class DecoupledGradient(Part):
    """How the planner follows the critics through the skill."""

    heading: ClassVar[Heading] = "planner"
    value_scale: bool = False
    """Whether DePG follows Q in units of its deviation over the minibatch (of a reward's deviation,
    if that is more), so that the anchors' weights mean the same on every task."""


@dataclass(frozen=True)
class Calibration(Part):
    """The calibrated gradient, which anchors plans to what was really reached."""

    heading: ClassVar[Heading] = "planner"
    weight: float = named(0.1, "calibration")
    """Weight c of the calibrated gradient."""
    form: CalibrationWeight = named("min-max", "calibration_weight")
    """How Q becomes the weight of a real transition: compared with what is planned in the same
    state ('within-state'), or with the whole minibatch; 'constant' is plain likelihood."""
    loss: CalibrationFit = named("likelihood", "calibration_loss")
    """Maximum likelihood; or 'relative', in units of steps, see supervision_loss."""
    relabel: bool = False
    """Take Q at the skill's action for the transition instead of the action really taken."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("calibration_weight", "calibration_loss", "relabel"),
            lambda part, _: part.weight == 0,
            "calibration is 0",
        ),
        Rule(("relabel",), lambda part, _: part.form == "constant", "no Q is in the weight"),
    )


@dataclass(frozen=True)
class Supervision(Part):
    """The supervised planner loss, which anchors plans to the demonstrations."""

    heading: ClassVar[Heading] = "planner"
    weight: float = named(0.1, "supervision")
    """Weight λ_h of the supervised planner loss."""
    loss: PlannerFit = named("likelihood", "supervision_loss")
    """Maximum likelihood; squared error of the predicted mean or of a sample; or 'relative':
    likelihood weighted by the variance, in units of demonstrated steps, so that its pull depends
    neither on the planner's deviation nor on the task."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("supervision_loss",), lambda part, _: part.weight == 0, "supervision is 0"),
    )


ENDS = (
    Rule(
        ("absorbing_logit",),
        lambda s, _: s.collection.termination != "absorbing",
        "termination is not 'absorbing'",
    ),
    Rule(
        ("end_cost",),
        lambda s, _: s.collection.termination != "relative",
        "termination is not 'relative'",
    ),
)
"""For methods that a discriminator rewards."""
ONLY_SKILL_SEES_PAIRS = Rule(
    ("pair_input",), is_formula, "the skill is a formula, and nothing else sees pairs"
)
"""For methods without a discriminator."""
STEPS_ARE_DIFFERENCES = Rule(
    ("pair_input",),
    lambda s, _: s.coordinates.standardise and s.coordinates.step_units,
    "with step_units the skill sees (s, s'−s), and nothing else sees pairs",
)
"""For methods without a discriminator, where plans are in steps."""
FIRST_OF_REFITS = Rule(
    ("first_fit_passes",),
    lambda s, facts: s.skill.schedule != "refit" or bool(facts.formula),
    "skill_schedule is not 'refit'",
)
NO_RETURN = "this method learns from no return"


def end_problem(
    settings: OffPolicySettings, method: str, reward: str = "the environment's"
) -> Iterator[str]:
    """For methods whose reward, the environment's or another, has a zero of its own."""
    if (end := settings.collection.termination) in ("absorbing", "relative"):
        yield (
            f"termination '{end}' is for a discriminator's reward, which has no zero of its own; "
            f"{method} has {reward}: zero or ignored"
        )


@runtime_checkable
class OffPolicySettings(Protocol):
    """What the off-policy learner reads of any method's settings; it also looks for the parts
    ``skill``, ``demos``, ``coordinates``, ``features`` and ``fine_tuning``, which a method may
    lack."""

    @property
    def collection(self) -> Collection:
        """How data are gathered and kept."""

    @property
    def exploration(self) -> Exploration:
        """What the agent does beside its policy."""

    @property
    def learning(self) -> Learning:
        """How much is learned from the data, and at what pace."""

    @property
    def saving(self) -> Saving:
        """How often the run is looked at and saved."""


def skill_part(settings: Any) -> Skill | None:
    """How a method fits its skill; None: it has none to fit."""
    return getattr(settings, "skill", None)


def uses_memory(settings: Any) -> bool:
    """Whether a method's skill also sees the state before."""
    part = getattr(settings, "skill", None)
    return bool(getattr(part, "memory", False))


def steps_ahead(settings: Any, features: int, actions: int) -> int:
    """How far the goals of a method lie ahead; 1: in the next state. As asked; if that is 0, twice
    as many steps as it takes until there are as many numbers in the actions as in a goal, since
    fewer than that many cannot lead to any goal.
    """
    goals = getattr(settings, "goals", None)
    if goals is None:
        return 1
    return goals.ahead or 2 * -(-features // actions)


def is_fine_tuned(settings: Any) -> bool:
    """Whether a planner that is given learns on at some time."""
    return getattr(settings, "fine_tuning", None) is not None
