"""BCO and supervised DePO on vectors: no reward, only the demonstrations and the skill."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.losses import behaviour_cloning, supervised_planner
from depo.methods.descent import fresh
from depo.methods.off_policy.method import STEADY, Agent, Batch, Metrics, Pace, Pairs, Shape
from depo.methods.off_policy.parts import (
    draw_pairs,
    improve_skill,
    new_planner,
    new_skill,
    planner_optimiser,
    step,
)
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy, GaussianActor
from depo.settings.off_policy import BCO, Supervised


@dataclass(frozen=True)
class BCOMethod:
    """The skill labels the demonstrations with actions, a plain policy clones them."""

    settings: BCO
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Actor and skill."""
        s = self.settings
        actor_key, skill_key = jax.random.split(key)
        actor = GaussianActor(actor_key, shape.standard, shape.actions, (s.hidden,) * 2)
        return {
            "actor": fresh(actor, self.pace.adam(s.actor_rate, s.adam_beta)),
            "skill": new_skill(skill_key, shape, s, self.pace),
        }

    def policy(self, agent: Agent) -> GaussianActor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the skill, then one of cloning what it reads into the demonstrations."""
        s = self.settings
        draw, label_key, own_key, fit_key = jax.random.split(key, 4)
        skill, metrics = improve_skill(agent["skill"], wide, s, self.pace, fit_key)
        state, next_state = draw_pairs(expert, draw, batch.state.shape[0])
        next_state = skill.model.select(next_state)
        if s.clone_samples:
            label = skill.model.sample(state, next_state, label_key)
        else:
            label = skill.model.mode(state, next_state)

        def loss(actor: GaussianActor) -> tuple[Float[Array, ""], None]:
            sampled = actor.sample(state, own_key) if s.clone_samples else actor.mode(state)
            return behaviour_cloning.squared(sampled.action, label), None

        actor, value, _ = step(agent["actor"], self.pace.adam(s.actor_rate, s.adam_beta), loss)
        return {"actor": actor, "skill": skill}, metrics | {"policy_loss": value}


@dataclass(frozen=True)
class SupervisedMethod:
    """Planner from the demonstrations alone, skill from experience."""

    settings: Supervised
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Planner and skill."""
        s = self.settings
        planner_key, skill_key = jax.random.split(key)
        return {
            "planner": new_planner(planner_key, shape, s, self.pace),
            "skill": new_skill(skill_key, shape, s, self.pace),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        planner, skill = agent["planner"].model, agent["skill"].model
        return DecoupledPolicy(planner, skill, spread=self.settings.sample_plans)

    def update(
        self, agent: Agent, batch: Batch, wide: Batch, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of each."""
        s = self.settings
        skill, metrics = improve_skill(agent["skill"], wide, s, self.pace)
        draw, guess = jax.random.split(key)
        state, next_state = draw_pairs(expert, draw, batch.state.shape[0])

        def loss(planner: GaussianPlanner) -> tuple[Float[Array, ""], Float[Array, ""]]:
            plan = planner.distribution(state)
            difference = planner.difference(state, planner.select(next_state))
            spread = jnp.mean(jnp.exp(plan.log_std))
            form = s.supervision_loss
            return supervised_planner.of_distribution(plan, difference, form, guess), spread

        planner, value, spread = step(agent["planner"], planner_optimiser(s, self.pace), loss)
        metrics |= {"planner_loss": value, "plan_spread": spread}
        return {"planner": planner, "skill": skill}, metrics
