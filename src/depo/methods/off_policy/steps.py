"""The steps off-policy methods are put together from; each returns new models and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.core.errors import DepoError
from depo.data.transitions import Acted, Expert, Pairs, Transitions
from depo.losses import (
    adversarial_reward,
    best_of_modes,
    gradient_penalty,
    inverse_dynamics,
    supervised_planner,
    twin_critic,
)
from depo.losses import discriminator as discriminator_loss
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy import settings as parts
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.optimisation import Trained, follow, fresh, uniform_index
from depo.models.critic import TwinCritic
from depo.models.discriminator import AnyDiscriminator, VectorDiscriminator
from depo.models.planner import GaussianPlanner
from depo.models.policy import DiscreteActor, GaussianActor
from depo.models.scalar import Scalar
from depo.models.skill import AnalyticSkill, DiscreteSkill, VectorSkill

Model = TypeVar("Model", bound=eqx.Module)


def step(
    trained: Trained[Model],
    optimiser: optax.GradientTransformation,
    loss: Callable[[Model], tuple[Float[Array, ""], Any]],
) -> tuple[Trained[Model], Float[Array, ""], Any]:
    """One gradient step on a loss with something beside; returns both."""
    (value, beside), gradient = eqx.filter_value_and_grad(loss, has_aux=True)(trained.model)
    updates, moments = optimiser.update(gradient, trained.moments)
    return Trained(eqx.apply_updates(trained.model, updates), moments), value, beside


def draw_pairs(
    expert: Expert, key: Key[Array, ""], size: int
) -> tuple[Float[Array, "size sees"], Float[Array, "size sees"]]:
    """Expert transitions, uniformly."""
    index = uniform_index(key, (size,), expert[0].shape[0])
    return expert[0][index], expert[1][index]


def draw_steps(expert: Acted, key: Key[Array, ""], size: int) -> Acted:
    """Expert transitions with their actions, uniformly."""
    index = uniform_index(key, (size,), expert.state.shape[0])
    return Acted(*(column[index] for column in expert))


FIRST = 8
"""At most this many demonstrated episodes are asked what beginning is worth."""


def first_states(expert: Expert) -> Float[Array, "episodes sees"]:
    """States in which demonstrated episodes begin: those that the row before does not lead to.

    >>> s = jnp.array([[0.0], [1.0], [7.0], [8.0]])
    >>> first_states((s, s + 1.0))[:3, 0]
    Array([0., 7., 0.], dtype=float32)
    """
    state, next_state = expert[0], expert[1]
    begins = jnp.any(state[1:] != next_state[:-1], axis=-1)
    rows = jnp.nonzero(jnp.concatenate([jnp.array([True]), begins]), size=FIRST, fill_value=0)[0]
    return state[rows]


# Critics


@runtime_checkable
class CriticSettings(Protocol):
    """What the steps of critics read of a method's settings."""

    @property
    def networks(self) -> parts.Networks:
        """What actor, planner and critics share."""

    @property
    def critic(self) -> parts.Critic:
        """The critics."""


def new_critics(key: Key[Array, ""], shape: Shape, s: CriticSettings, pace: Pace) -> Agent:
    """Twin critics and their targets."""
    hidden = shape.layers(s.networks.hidden)
    critic = TwinCritic(key, shape.normaliser, shape.actions, hidden, s.critic.norm)
    optimiser = pace.adam(s.critic.rate, s.networks.adam_beta)
    return {"critic": fresh(critic, optimiser), "target": Trained(critic, None)}


def update_critics(
    agent: Agent,
    batch: Transitions,
    reward: Float[Array, " batch"],
    next_value: Float[Array, " batch"],
    end_value: Float[Array, "*batch"] | float,
    s: CriticSettings,
    pace: Pace,
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """A step of both critics, then of their targets; min Q of the batch as it was before."""
    goal = twin_critic.target(reward, next_value, batch.terminated, end_value, s.critic.gamma)
    critic, loss, values = step(
        agent["critic"],
        pace.adam(s.critic.rate, s.networks.adam_beta),
        lambda model: twin_critic.loss(model, batch.state, batch.action, goal),
    )
    target = follow(agent["target"].model, critic.model, s.critic.follow)
    metrics = {"critic_loss": loss, "value": jnp.mean(values)}
    changed = {"critic": critic, "target": Trained(target, None)}
    return agent | changed, jnp.min(values, axis=0), metrics


# Discriminator


@runtime_checkable
class RewardSettings(CriticSettings, Protocol):
    """What a reward that is learned reads of a method's settings."""

    @property
    def collection(self) -> parts.Collection:
        """What an episode's end is worth."""

    @property
    def discriminator(self) -> parts.Discriminator:
        """The discriminator and the reward made of it."""


@runtime_checkable
class AdversarySettings(RewardSettings, Protocol):
    """What the steps of a discriminator of (s,s') read of a method's settings."""

    @property
    def pair_view(self) -> parts.PairView:
        """How transitions are seen."""


WANTED_ENDS = "wanted_ends"
"""Among an agent's models where the expert's episodes end by themselves."""


def new_discriminator(key: Key[Array, ""], shape: Shape, s: AdversarySettings, pace: Pace) -> Agent:
    """A discriminator of (s,s') about to be trained, what is usual of its reward, and whether it
    knows ends that are wanted."""
    hidden = shape.layers(s.discriminator.hidden, share=2)
    model = VectorDiscriminator(key, shape.normaliser, hidden, pair_input=s.pair_view.input)
    optimiser = pace.adam(s.discriminator.rate)
    agent: Agent = {"discriminator": fresh(model, optimiser), **nothing_usual(s.discriminator)}
    if shape.expert_ends and s.collection.termination == "relative":
        agent[WANTED_ENDS] = Trained(Scalar(jnp.ones(())), None)
    return agent


@runtime_checkable
class RewardUnits(Protocol):
    """What standardising a reward reads of settings."""

    @property
    def reward_scale(self) -> float:
        """Factor on the reward."""

    @property
    def reward_centre(self) -> float:
        """Rate at which its mean is followed."""

    @property
    def reward_spread(self) -> float:
        """Rate at which its deviation is followed; 0: it is not."""


def nothing_usual(s: RewardUnits) -> Agent:
    """The running mean of a reward, unknown yet; its variance too if rewards are divided by their
    deviation."""
    agent: Agent = {"centre": Trained(Scalar(jnp.zeros(())), None)}
    if s.reward_spread:
        agent["spread"] = Trained(Scalar(jnp.ones(())), None)
    return agent


def update_discriminator(
    trained: Trained[AnyDiscriminator],
    agent: Pairs,
    expert: Pairs,
    s: parts.Discriminator,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Trained[AnyDiscriminator], Metrics]:
    """One step of cross-entropy and gradient penalty; what the agent did, and what the expert, are
    (s,s') or (s,a)."""

    def loss(model: AnyDiscriminator) -> tuple[Float[Array, ""], Metrics]:
        logits = model(*expert), model(*agent)
        entropy = discriminator_loss.of_logits(*logits)
        penalty = gradient_penalty.loss(model, model.features(*expert), model.features(*agent), key)
        return entropy + s.gradient_penalty * penalty, {
            "discriminator_loss": entropy,
            "discriminator_accuracy": discriminator_loss.accuracy(*logits),
        }

    trained, _, metrics = step(trained, pace.adam(s.rate), loss)
    return trained, metrics


def reward_of(logit: Float[Array, "*batch"], s: parts.Discriminator) -> Float[Array, "*batch"]:
    """Bounded, shifted, scaled."""
    if s.logit_clip:
        logit = jnp.clip(logit, -s.logit_clip, s.logit_clip)
    return s.reward_scale * (adversarial_reward.FORMS[s.reward](logit) + s.reward_shift)


def end_value(
    agent: Agent,
    batch: Transitions,
    next_value: Float[Array, " batch"],
    first_value: Callable[[], Float[Array, " episodes"]],
    s: RewardSettings,
) -> Float[Array, "*batch"] | float:
    """What an ended episode is worth: less than is usual and no more than beginning anew, unless
    the expert's end so, too; for ever the reward of a poor transition; or nothing."""
    match s.collection.termination:
        case "relative":
            counts = ~batch.terminated
            usual = twin_critic.below_usual(next_value, counts, s.discriminator.end_cost)
            worst = jnp.minimum(usual, jnp.mean(first_value()))
            if WANTED_ENDS not in agent:
                return worst
            reward = discriminator_reward(agent, batch.state, batch.next_state, s.discriminator)
            return twin_critic.wanted_end(worst, reward, s.critic.gamma)
        case "absorbing":
            poor = reward_of(jnp.asarray(-s.discriminator.absorbing_logit), s.discriminator)
            return standardised_reward(agent, poor) / (1.0 - s.critic.gamma)
    return 0.0


def standardised_reward(agent: Agent, reward: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """Minus its running mean; divided by its deviation before scaling, if that is followed."""
    centred = reward - agent["centre"].model.value
    return centred * jax.lax.rsqrt(agent["spread"].model.value) if "spread" in agent else centred


def update_reward(
    agent: Agent,
    batch: Transitions,
    expert: Expert,
    s: parts.Discriminator,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """Train the discriminator of (s,s'), then take its reward of the batch, standardised by what is
    usual."""
    draw, between = jax.random.split(key)
    pairs = draw_pairs(expert, draw, batch.state.shape[0])
    own = (batch.state, batch.next_state)
    trained, metrics = update_discriminator(agent["discriminator"], own, pairs, s, pace, between)
    agent, reward, more = follow_reward(
        agent | {"discriminator": trained}, reward_of(trained.model(*own), s), s
    )
    return agent, reward, metrics | more


def follow_reward(
    agent: Agent, reward: Float[Array, " batch"], s: RewardUnits
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """What is usual of a reward, one batch on; the reward standardised by it."""
    reward = jax.lax.stop_gradient(reward)
    mean = jnp.mean(reward)
    centre = follow(agent["centre"].model, Scalar(mean), s.reward_centre)
    agent = agent | {"centre": Trained(centre, None)}
    if s.reward_spread:
        variance = jnp.mean(((reward - centre.value) / s.reward_scale) ** 2)
        usual = follow(agent["spread"].model, Scalar(variance), s.reward_spread)
        agent |= {"spread": Trained(usual, None)}
    return agent, standardised_reward(agent, reward), {"reward": mean}


def discriminator_reward(
    agent: Agent,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    s: parts.Discriminator,
) -> Float[Array, " batch"]:
    """Reward of transitions under the current discriminator, standardised by what is usual."""
    logit = agent["discriminator"].model(state, next_state)
    return standardised_reward(agent, jax.lax.stop_gradient(reward_of(logit, s)))


# Planner and skill


@runtime_checkable
class PlannerSettings(Protocol):
    """What the steps of a planner read of a method's settings."""

    @property
    def networks(self) -> parts.Networks:
        """What actor, planner and critics share."""

    @property
    def planner(self) -> parts.Planner:
        """The planner."""


def new_planner(
    key: Key[Array, ""], shape: Shape, s: PlannerSettings, pace: Pace
) -> Trained[GaussianPlanner]:
    """A planner about to be trained."""
    bounds = (-s.planner.log_std_floor, s.planner.log_std_ceiling)
    hidden, smooth = shape.layers(s.networks.hidden), s.planner.smooth_bounds
    model = GaussianPlanner(key, shape.normaliser, hidden, shape.predicts, bounds, smooth=smooth)
    return fresh(model, planner_optimiser(s, pace))


def planner_optimiser(s: PlannerSettings, pace: Pace) -> optax.GradientTransformation:
    """Adam at the planner's rate."""
    return pace.of_planner().adam(s.planner.rate, s.networks.adam_beta)


def fit_planner(
    trained: Trained[GaussianPlanner],
    expert: Pairs,
    size: int,
    form: parts.PlannerFit,
    optimiser: optax.GradientTransformation,
    key: Key[Array, ""],
) -> tuple[Trained[GaussianPlanner], Metrics]:
    """One step of L_h on as many expert transitions."""
    draw, guess = jax.random.split(key)
    state, next_state = draw_pairs(expert, draw, size)

    def loss(planner: GaussianPlanner) -> tuple[Float[Array, ""], Float[Array, ""]]:
        plan = planner.distribution(state)
        difference = planner.difference(state, planner.select(next_state))
        spread = jnp.mean(jnp.exp(plan.log_std))
        return supervised_planner.of_distribution(plan, difference, form, guess), spread

    planner, value, spread = step(trained, optimiser, loss)
    return planner, {"planner_loss": value, "plan_spread": spread}


@runtime_checkable
class SkillSettings(Protocol):
    """What the steps of a skill read of a method's settings."""

    @property
    def pair_view(self) -> parts.PairView:
        """How transitions are seen."""

    @property
    def skill(self) -> parts.Skill:
        """The skill."""


def new_skill(
    key: Key[Array, ""],
    shape: Shape,
    s: SkillSettings,
    pace: Pace,
    noise: float | None,
    modes: int = 1,
) -> Trained[VectorSkill | DiscreteSkill]:
    """A skill about to be fitted; without ``noise`` it learns its own. Over discrete actions it
    spreads as it is unsure, whatever the noise."""
    hidden = shape.layers(s.skill.hidden, s.skill.depth)
    view = shape.skill_input(s.pair_view.input)
    model: VectorSkill | DiscreteSkill
    if shape.choices:
        if modes > 1:
            raise DepoError(
                f"skill_modes {modes} are for vectors of actions: a skill over discrete ones has a "
                "probability for each, pass --skill-modes 1"
            )
        model = DiscreteSkill(
            key, shape.skill_normaliser, shape.choices, hidden, shape.predicts, view
        )
    else:
        model = VectorSkill(
            key,
            shape.skill_normaliser,
            shape.actions,
            hidden,
            predicts=shape.predicts,
            noise=noise,
            pair_input=view,
            modes=modes,
        )
    return fresh(model, skill_optimiser(s.skill, pace))


def new_actor(
    key: Key[Array, ""], shape: Shape, hidden: tuple[int, ...]
) -> GaussianActor | DiscreteActor:
    """A plain policy about to be trained."""
    if shape.choices:
        return DiscreteActor(key, shape.normaliser, shape.choices, hidden)
    return GaussianActor(key, shape.normaliser, shape.actions, hidden)


def skill_optimiser(s: parts.Skill, pace: Pace) -> optax.GradientTransformation:
    """Refits have their own number of steps, so their rate stays."""
    return pace.adam(s.rate) if s.schedule != "refit" else STEADY.adam(s.rate)


def skill_loss(
    skill: VectorSkill | DiscreteSkill,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    key: Key[Array, ""] | None = None,
) -> Float[Array, ""]:
    """The loss that fits a skill of one mode, or of several, or over discrete actions."""
    if isinstance(skill, DiscreteSkill):
        return inverse_dynamics.of_choices(skill, state, next_state, action)
    if skill.modes > 1:
        return best_of_modes.loss(skill, state, next_state, action)
    return inverse_dynamics.squared(skill, state, next_state, action, key)


def update_skill(
    trained: Trained[Any],
    batch: Transitions,
    s: parts.Skill,
    pace: Pace,
    key: Key[Array, ""] | None = None,
) -> tuple[Trained[Any], Metrics]:
    """One step of the skill's loss, unless it is a formula or refitted at intervals instead; with a
    key on random actions, which teaches the skill how much to spread them."""
    if s.schedule == "refit" or isinstance(trained.model, AnalyticSkill):
        return trained, {}

    def loss(model: VectorSkill | DiscreteSkill) -> tuple[Float[Array, ""], None]:
        rows = (batch.state, batch.next_state, batch.action)
        return skill_loss(model, *rows, key=key), None

    trained, value, _ = step(trained, skill_optimiser(s, pace), loss)
    return trained, {"skill_loss": value}
