"""The parts that off-policy methods are put together from; each returns new models and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.losses import (
    adversarial_reward,
    best_of_modes,
    gradient_penalty,
    inverse_dynamics,
    twin_critic,
)
from depo.losses import discriminator as discriminator_loss
from depo.methods.descent import Trained, follow, fresh, uniform_index
from depo.methods.off_policy.method import STEADY, Agent, Batch, Metrics, Pace, Pairs, Shape
from depo.models.judges import Scalar, TwinCritic, VectorDiscriminator
from depo.models.planner import GaussianPlanner
from depo.models.skill import AnalyticSkill, VectorSkill
from depo.settings.off_policy import (
    BCO,
    SAC,
    AdversarySettings,
    Agnostic,
    DePORL,
    GAIfO,
    SkillSettings,
    SkillTransfer,
    Supervised,
)

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
    expert: Pairs, key: Key[Array, ""], size: int
) -> tuple[Float[Array, "size sees"], Float[Array, "size sees"]]:
    """Expert transitions, uniformly."""
    index = uniform_index(key, (size,), expert[0].shape[0])
    return expert[0][index], expert[1][index]


# Critics


def new_critics(
    key: Key[Array, ""], shape: Shape, s: SAC | GAIfO | Agnostic | DePORL, pace: Pace
) -> Agent:
    """Twin critics and their targets."""
    critic = TwinCritic(key, shape.standard, shape.actions, (s.hidden,) * 2, s.critic_norm)
    optimiser = pace.adam(s.critic_rate, s.adam_beta)
    return {"critic": fresh(critic, optimiser), "target": Trained(critic, None)}


def improve_critics(
    agent: Agent,
    batch: Batch,
    reward: Float[Array, " batch"],
    next_value: Float[Array, " batch"],
    end_value: Float[Array, ""] | float,
    s: SAC | GAIfO | Agnostic | DePORL,
    pace: Pace,
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """A step of both critics, then of their targets; min Q of the batch as it was before."""
    goal = twin_critic.target(reward, next_value, batch.terminated, end_value, s.gamma)
    critic, loss, values = step(
        agent["critic"],
        pace.adam(s.critic_rate, s.adam_beta),
        lambda model: twin_critic.loss(model, batch.state, batch.action, goal),
    )
    target = follow(agent["target"].model, critic.model, s.follow)
    metrics = {"critic_loss": loss, "value": jnp.mean(values)}
    changed = {"critic": critic, "target": Trained(target, None)}
    return agent | changed, jnp.min(values, axis=0), metrics


# Discriminator


def new_discriminator(key: Key[Array, ""], shape: Shape, s: AdversarySettings, pace: Pace) -> Agent:
    """A discriminator about to be trained, and the usual reward, unknown yet."""
    hidden = (s.discriminator_hidden,) * 2
    model = VectorDiscriminator(key, shape.standard, hidden, pair_input=s.pair_input)
    return {
        "discriminator": fresh(model, pace.adam(s.discriminator_rate)),
        "centre": Trained(Scalar(jnp.zeros(())), None),
    }


def improve_discriminator(
    trained: Trained[VectorDiscriminator],
    batch: Batch,
    expert: Pairs,
    s: AdversarySettings,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Trained[VectorDiscriminator], Metrics]:
    """One step of cross-entropy and gradient penalty."""
    agent = (batch.state, batch.next_state)

    def loss(model: VectorDiscriminator) -> tuple[Float[Array, ""], Metrics]:
        logits = model(*expert), model(*agent)
        entropy = discriminator_loss.of_logits(*logits)
        penalty = gradient_penalty.loss(model, model.features(*expert), model.features(*agent), key)
        return entropy + s.gradient_penalty * penalty, {
            "discriminator_loss": entropy,
            "discriminator_accuracy": discriminator_loss.accuracy(*logits),
        }

    trained, _, metrics = step(trained, pace.adam(s.discriminator_rate), loss)
    return trained, metrics


def reward_of(logit: Float[Array, "*batch"], s: AdversarySettings) -> Float[Array, "*batch"]:
    """Bounded, shifted, scaled."""
    if s.logit_clip:
        logit = jnp.clip(logit, -s.logit_clip, s.logit_clip)
    return s.reward_scale * (adversarial_reward.FORMS[s.reward](logit) + s.reward_shift)


def absorbed_value(
    s: GAIfO | Agnostic, centre: Float[Array, ""] | float = 0.0
) -> Float[Array, ""] | float:
    """What an ended episode is worth: for ever the reward of a poor transition, or nothing."""
    if s.termination != "absorbing":
        return 0.0
    reward = reward_of(jnp.asarray(-s.absorbing_logit), s)
    return (reward - centre) / (1.0 - s.gamma)


def judge_transitions(
    agent: Agent,
    batch: Batch,
    expert: Pairs,
    s: AdversarySettings,
    pace: Pace,
    key: Key[Array, ""],
) -> tuple[Agent, Float[Array, " batch"], Metrics]:
    """Train the discriminator, then read the reward off it, less what is usual of late."""
    draw, between = jax.random.split(key)
    pairs = draw_pairs(expert, draw, batch.state.shape[0])
    judge, metrics = improve_discriminator(agent["discriminator"], batch, pairs, s, pace, between)
    reward = jax.lax.stop_gradient(reward_of(judge.model(batch.state, batch.next_state), s))
    mean = jnp.mean(reward)
    centre = follow(agent["centre"].model, Scalar(mean), s.reward_centre)
    metrics |= {"reward": mean}
    changed = {"discriminator": judge, "centre": Trained(centre, None)}
    return agent | changed, reward - centre.value, metrics


def judged_reward(
    agent: Agent,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    s: AdversarySettings,
) -> Float[Array, " batch"]:
    """The reward of any transitions by the discriminator as it is, less what is usual of late."""
    logit = agent["discriminator"].model(state, next_state)
    return jax.lax.stop_gradient(reward_of(logit, s)) - agent["centre"].model.value


# Planner and skill


def new_planner(
    key: Key[Array, ""], shape: Shape, s: Supervised | Agnostic | DePORL, pace: Pace
) -> Trained[GaussianPlanner]:
    """A planner about to be trained."""
    bounds = (-s.log_std_floor, s.log_std_ceiling)
    model = GaussianPlanner(
        key, shape.standard, (s.hidden,) * 2, shape.predicts, log_std_bounds=bounds
    )
    return fresh(model, planner_optimiser(s, pace))


def planner_optimiser(
    s: Supervised | Agnostic | DePORL, pace: Pace
) -> optax.GradientTransformation:
    """Adam at the planner's rate."""
    return pace.of_planner().adam(s.planner_rate, s.adam_beta)


def new_skill(
    key: Key[Array, ""], shape: Shape, s: SkillSettings, pace: Pace
) -> Trained[VectorSkill]:
    """A skill about to be fitted."""
    model = VectorSkill(
        key,
        shape.skill_standard,
        shape.actions,
        (s.skill_hidden,) * s.skill_depth,
        predicts=shape.predicts,
        noise=None if learns_noise(s) else s.noise,
        pair_input=s.pair_input,
        modes=s.skill_modes if isinstance(s, SkillTransfer) else 1,
    )
    return fresh(model, skill_optimiser(s, pace))


def skill_optimiser(s: SkillSettings, pace: Pace) -> optax.GradientTransformation:
    """Refits have their own number of steps, so their rate stays."""
    return pace.adam(s.skill_rate) if s.skill_schedule != "refit" else STEADY.adam(s.skill_rate)


def learns_noise(s: SkillSettings) -> bool:
    """Whether the skill is fitted by random actions, which teaches it how much to spread them."""
    return isinstance(s, BCO) and s.clone_samples


def skill_loss(
    skill: VectorSkill,
    state: Float[Array, "batch sees"],
    next_state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    key: Key[Array, ""] | None = None,
) -> Float[Array, ""]:
    """The loss that fits a skill of one mode, or of several."""
    if skill.modes > 1:
        return best_of_modes.loss(skill, state, next_state, action)
    return inverse_dynamics.squared(skill, state, next_state, action, key)


def improve_skill(
    trained: Trained[Any],
    batch: Batch,
    s: SkillSettings,
    pace: Pace,
    key: Key[Array, ""] | None = None,
) -> tuple[Trained[Any], Metrics]:
    """One step of the skill's loss, unless it is a formula or refitted at intervals instead."""
    if s.skill_schedule == "refit" or isinstance(trained.model, AnalyticSkill):
        return trained, {}
    guess = key if learns_noise(s) else None

    def loss(model: VectorSkill) -> tuple[Float[Array, ""], None]:
        rows = (batch.state, batch.next_state, batch.action)
        return skill_loss(model, *rows, key=guess), None

    trained, value, _ = step(trained, skill_optimiser(s, pace), loss)
    return trained, {"skill_loss": value}
