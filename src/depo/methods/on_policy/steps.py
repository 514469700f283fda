"""The steps methods are put together from; each returns new models and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from depo.data.transitions import Pairs, Rollout, Triples
from depo.losses import adversarial_reward, discriminator, inverse_dynamics, value
from depo.methods.method import Metrics
from depo.methods.on_policy import settings as parts
from depo.methods.on_policy.experience import Memory
from depo.methods.optimisation import Trained, descend, minibatches, uniform_index
from depo.methods.plateau import Plateau
from depo.models.critic import Critic
from depo.models.discriminator import Discriminator
from depo.models.planner import CategoricalPlanner
from depo.models.skill import CategoricalSkill

VALIDATION_ROWS = 200
MAX_GRADIENT_NORM = 10.0


def adam(rate: float) -> optax.GradientTransformation:
    """Adam behind a guard against exploding gradients."""
    return optax.chain(optax.clip_by_global_norm(MAX_GRADIENT_NORM), optax.adam(rate))


class Advantages(NamedTuple):
    """A rollout flattened, with advantages and value targets: what policy and critic learn."""

    state: Int[Array, " batch"]
    action: Int[Array, " batch"]
    plan: Int[Array, " batch"]
    next_state: Int[Array, " batch"]
    advantage: Float[Array, " batch"]
    value_target: Float[Array, " batch"]


def estimate_advantages(
    critic: Critic,
    rollout: Rollout,
    reward: Float[Array, "time copies"],
    settings: parts.Critic,
    gamma: float,
) -> Advantages:
    """Standardised advantages and value targets for a reward."""
    now, after = critic(rollout.state), critic(rollout.next_state)
    advantage = value.advantages(
        reward, now, after, rollout.terminated, rollout.truncated, gamma, settings.trace
    )
    return Advantages(
        state=rollout.state.reshape(-1),
        action=rollout.action.reshape(-1),
        plan=rollout.plan.reshape(-1),
        next_state=rollout.next_state.reshape(-1),
        advantage=value.standardise(advantage).reshape(-1),
        value_target=(advantage + now).reshape(-1),
    )


def fit_critic(
    critic: Trained[Critic], advantages: Advantages, settings: parts.Critic, key: Key[Array, ""]
) -> tuple[Trained[Critic], Metrics]:
    """Regress V on its targets."""
    index = minibatches(key, advantages.state.shape[0], settings.minibatch, settings.epochs)
    critic, mean = descend(
        critic,
        adam(settings.rate),
        lambda model, batch: value.loss(model, *batch),
        (advantages.state[index], advantages.value_target[index]),
    )
    return critic, {"critic_loss": mean}


def adversarial_rewards(
    model: Discriminator,
    rollout: Rollout,
    expert: Pairs,
    settings: parts.Discriminator,
    gamma: float,
) -> Float[Array, "time copies"]:
    """r(s,s') of every step. An end in a state that no recording reaches is worth r/(1 − γ), its
    step's reward for ever: where every step costs, falling would otherwise pay as arriving does."""
    reward = adversarial_reward.FORMS[settings.reward](model(rollout.state, rollout.next_state))
    fallen = rollout.terminated & ~jnp.isin(rollout.next_state, expert[1])
    return jnp.where(fallen, reward / (1 - gamma), reward)


def fit_discriminator(
    trained: Trained[Discriminator],
    rollout: Rollout,
    expert: Pairs,
    settings: parts.Discriminator,
    key: Key[Array, ""],
) -> tuple[Trained[Discriminator], Metrics]:
    """Tell the batch from as many expert transitions."""
    agent = (rollout.state.reshape(-1), rollout.next_state.reshape(-1))
    shape = (settings.steps, agent[0].shape[0])
    batches = expert_pairs(expert, key, shape)
    trained, mean = descend(
        trained,
        adam(settings.rate),
        lambda model, batch: discriminator.loss(model, batch, agent),
        batches,
    )
    logits = trained.model(batches[0][-1], batches[1][-1]), trained.model(*agent)
    accuracy = discriminator.accuracy(*logits)
    return trained, {"discriminator_loss": mean, "discriminator_accuracy": accuracy}


def expert_pairs(
    expert: Pairs, key: Key[Array, ""], shape: tuple[int, ...]
) -> tuple[Int[Array, ...], Int[Array, ...]]:
    """Expert transitions, uniformly."""
    index = uniform_index(key, shape, expert[0].shape[0])
    return expert[0][index], expert[1][index]


Wanted = Callable[[Key[Array, ""]], Int[Array, " states"]]
"""A target for every state, drawn anew by each key."""


def plans(planner: CategoricalPlanner) -> Wanted:
    """What a planner plans is wanted."""
    return lambda key: planner.sample(jnp.arange(planner.states), key)


def demonstrated(expert: Pairs, states: int) -> Wanted:
    """What was demonstrated is wanted; where nothing was, to stay."""

    def draw(key: Key[Array, ""]) -> Int[Array, " states"]:
        state, next_state = expert_pairs(expert, key, (4 * states,))
        return jnp.arange(states).at[state].set(next_state)

    return draw


class _Fit(NamedTuple):
    skill: Trained[CategoricalSkill]
    key: Key[Array, ""]
    rounds: Int[Array, ""]
    plateau: Plateau


def fit_skill(
    skill: Trained[CategoricalSkill],
    memory: Memory,
    settings: parts.Skill,
    wanted: Wanted,
    key: Key[Array, ""],
) -> tuple[Trained[CategoricalSkill], Metrics]:
    """Fit I to all transitions so far until the held-out ones stop improving, and to what is known
    of the targets that are wanted.

    Rounds of steps, a look at held-out transitions after each; ends when none of the last
    ``patience`` rounds was 1% better than the best before, or at the round limit.
    """
    validation_key, key = jax.random.split(key)
    held_out = memory.sample_held_out(validation_key, (VALIDATION_ROWS,))
    optimiser = adam(settings.rate)

    def loss(model: CategoricalSkill, rows: Triples) -> Float[Array, ""]:
        return inverse_dynamics.loss(model, rows.state, rows.next_state, rows.action)

    def with_wanted(key: Key[Array, ""]) -> Callable[[CategoricalSkill, Triples], Array]:
        if not settings.wanted:
            return loss
        target = wanted(jax.random.fold_in(key, 1))
        known = memory.posterior(target, skill.model.actions)

        def both(model: CategoricalSkill, rows: Triples) -> Float[Array, ""]:
            s = rows.state
            beside = inverse_dynamics.towards(model, s, target[s], known[s])
            return loss(model, rows) + settings.wanted * beside

        return both

    def one_round(fit: _Fit) -> _Fit:
        key, sample_key = jax.random.split(fit.key)
        rows = memory.sample(sample_key, (settings.steps, settings.batch))
        skill, _ = descend(fit.skill, optimiser, with_wanted(sample_key), rows)
        plateau = fit.plateau.after(loss(skill.model, held_out))
        return _Fit(skill, key, fit.rounds + 1, plateau)

    def unfinished(fit: _Fit) -> Array:
        return (fit.rounds < settings.rounds) & (fit.plateau.stale < settings.patience)

    zero = jnp.zeros((), jnp.int32)
    begin = _Fit(skill, key, zero, Plateau(loss(skill.model, held_out), zero))
    fit = jax.lax.while_loop(unfinished, one_round, begin)
    return fit.skill, {
        "skill_validation_loss": loss(fit.skill.model, held_out),
        "skill_rounds": fit.rounds.astype(jnp.float32),
    }
