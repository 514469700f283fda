"""The parts that settings of on-policy methods, on finite states, are made of. No JAX here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from depo.methods.settings_tree import Facts, Heading, Part, Rule, named

RewardForm = Literal["log-d", "-log(1-d)", "logit", "constant"]
AdvantageWeight = Literal["shifted", "positive"]
GradientEstimator = Literal["exact", "straight-through", "score-function"]


@dataclass(frozen=True)
class Collection(Part):
    """How data are gathered."""

    heading: ClassVar[Heading] = "data"
    batch_steps: int = 128
    """Environment steps in one iteration, over all copies of the environment."""
    copies: int = 8
    """Copies of the environment stepped side by side."""

    def problems(self) -> Iterator[str]:
        """Steps that copies can share, and enough of them."""
        yield from batch_problems(self.batch_steps, self.copies)


def batch_problems(batch_steps: int, copies: int) -> Iterator[str]:
    """What can be wrong with the steps gathered at once."""
    if batch_steps < 5:
        yield f"batch_steps {batch_steps} is below 5: the skill holds out a fifth"
    if batch_steps % copies:
        yield f"batch_steps {batch_steps} is not a multiple of copies {copies}: change either"


@dataclass(frozen=True)
class Exploration(Part):
    """What the agent does beside its policy."""

    heading: ClassVar[Heading] = "exploration"
    epsilon: float = 0.1
    """Share of uniformly random actions while gathering data (never in evaluation)."""

    def problems(self) -> Iterator[str]:
        """A share is a share."""
        yield from epsilon_problems(self.epsilon)


def epsilon_problems(epsilon: float) -> Iterator[str]:
    """What can be wrong with ε."""
    if not 0.0 <= epsilon <= 1.0:
        yield f"epsilon {epsilon} is not in [0, 1]"


@dataclass(frozen=True)
class Learning(Part):
    """What all models share."""

    heading: ClassVar[Heading] = "policy"
    hidden: int = 128
    """Units in every hidden layer."""
    gamma: float = named(0.95, "gamma", heading="critic")
    """Discount, of the returns and of the exact occupancy measures."""

    def problems(self) -> Iterator[str]:
        """A discount below one."""
        yield from gamma_problems(self.gamma)


def gamma_problems(gamma: float) -> Iterator[str]:
    """What can be wrong with a discount."""
    if not 0.0 <= gamma < 1.0:
        yield f"gamma {gamma} is not in [0, 1)"


@dataclass(frozen=True)
class Saving(Part):
    """How often the run is looked at and saved."""

    heading: ClassVar[Heading] = "saving"
    evaluate_every: int = 1
    """Iterations between evaluations."""
    checkpoint_every: int = 25
    """Evaluations between checkpoints; environments are reset at each (exact resume)."""


@dataclass(frozen=True)
class Skill(Part):
    """Fitting the skill to all transitions so far, with a held-out fifth."""

    heading: ClassVar[Heading] = "skill"
    rate: float = named(3e-4, "skill_rate")
    """Adam's learning rate for the skill."""
    batch: int = named(64, "skill_batch")
    """Transitions in one skill step."""
    steps: int = named(20, "skill_steps")
    """Skill steps between two looks at the held-out transitions."""
    rounds: int = named(5, "skill_rounds")
    """At most this many such rounds in one iteration."""
    patience: int = named(2, "skill_patience")
    """Stop the fit after this many rounds without 1% improvement on held-out transitions."""
    wanted: float = named(0.0, "skill_wanted")
    """Weight of the skill's loss at targets that are wanted: plans, in BCO demonstrated ones. There
    it learns what is known of every action: which led there, which was not tried, which led
    elsewhere."""


@dataclass(frozen=True)
class Critic(Part):
    """Advantages and the passes over a batch that use them."""

    heading: ClassVar[Heading] = "critic"
    trace: float = 0.95
    """λ of generalised advantage estimation."""
    rate: float = named(3e-4, "critic_rate")
    """Adam's learning rate for the critic."""
    epochs: int = named(10, "epochs", heading="data")
    """Passes over each batch."""
    minibatch: int = named(64, "minibatch", heading="data")
    """Transitions in one gradient step."""


@dataclass(frozen=True)
class Discriminator(Part):
    """The discriminator and the reward made of it."""

    heading: ClassVar[Heading] = "discriminator"
    reward: RewardForm = "log-d"
    """Reward from the discriminator; 'constant' is a control that imitates nothing."""
    rate: float = named(3e-4, "discriminator_rate")
    """Adam's learning rate for the discriminator."""
    steps: int = named(1, "discriminator_steps")
    """Discriminator steps in one iteration, each on the whole batch."""


@dataclass(frozen=True)
class Actor(Part):
    """A plain policy trained by PPO."""

    heading: ClassVar[Heading] = "policy"
    rate: float = named(3e-4, "actor_rate")
    """Adam's learning rate for the policy."""
    clip: float = 0.1
    """PPO's clipping ε."""
    entropy: float = 0.0
    """Weight of the policy's entropy."""


@dataclass(frozen=True)
class Planner(Part):
    """A planner that follows a policy gradient."""

    heading: ClassVar[Heading] = "planner"
    rate: float = named(3e-4, "planner_rate")
    """Adam's learning rate for the planner."""
    entropy: float = 0.0
    """Weight of the planner's entropy."""


@dataclass(frozen=True)
class Calibration(Part):
    """The calibrated gradient, which anchors plans to what was really reached."""

    heading: ClassVar[Heading] = "planner"
    weight: float = named(1.0, "calibration")
    """Weight c of the calibrated gradient."""
    form: AdvantageWeight = named("shifted", "calibration_weight")
    """Weight of a transition: 'shifted', its advantage above the least of the batch; 'positive',
    its advantage if that is above zero, so that nothing is copied that was no better than usual."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(("calibration_weight",), lambda part, _: part.weight == 0, "calibration is 0"),
    )


@dataclass(frozen=True)
class Supervision(Part):
    """The supervised planner loss, which anchors plans to the demonstrations."""

    heading: ClassVar[Heading] = "planner"
    weight: float = named(0.1, "supervision")
    """Weight λ_h of the supervised planner loss."""
    noise: float = named(0.0, "supervision_noise")
    """Added to that weight where actions do not surely do what they do: times the share of repeated
    state-action pairs that ended elsewhere. There a plan says little of the action, and only plans
    that are as spread as the expert's steps tell actions apart."""
    demo_batch: int = 64
    """Expert transitions in one planner step."""
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            ("demo_batch",),
            lambda part, _: part.weight == part.noise == 0,
            "supervision is 0",
        ),
    )


BOUNDED = Rule(
    ("planner_clip",),
    lambda settings, _: settings.gradient != "exact",
    "only the exact gradient knows the policy whose change is bounded",
)
"""For methods with a decoupled policy gradient."""


def _without_return(_: object, facts: Facts) -> bool:
    return not facts.is_exact


UNDISCOUNTED = Rule(
    ("gamma",),
    _without_return,
    "this method learns from no return, and there are no exact occupancy measures here",
)
"""For methods without a critic."""


@runtime_checkable
class OnPolicySettings(Protocol):
    """What the on-policy learner reads of any method's settings."""

    @property
    def collection(self) -> Collection:
        """How data are gathered."""

    @property
    def exploration(self) -> Exploration:
        """What the agent does beside its policy."""

    @property
    def learning(self) -> Learning:
        """What all models share."""

    @property
    def saving(self) -> Saving:
        """How often the run is looked at and saved."""
