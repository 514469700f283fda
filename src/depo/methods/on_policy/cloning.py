"""BCO and supervised DePO: no reward, only the demonstrations and the skill."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from depo.losses import behaviour_cloning, supervised_planner
from depo.methods.descent import descend, fresh
from depo.methods.on_policy.experience import Memory, Rollout
from depo.methods.on_policy.method import Agent
from depo.methods.on_policy.steps import Metrics, Pairs, adam, expert_pairs, fit_skill
from depo.models.planner import CategoricalPlanner
from depo.models.policy import CategoricalActor, DecoupledPolicy
from depo.models.skill import CategoricalSkill
from depo.settings.on_policy import BCO, Supervised

CLONING_BATCH = 64


@dataclass(frozen=True)
class BCOMethod:
    """The skill labels the demonstrations with actions, a plain policy clones them."""

    settings: BCO

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """Actor and skill."""
        s = self.settings
        actor_key, skill_key = jax.random.split(key)
        actor = CategoricalActor(actor_key, states, actions, (s.hidden,) * 2)
        skill = CategoricalSkill(skill_key, states, actions, (s.hidden,) * 3)
        return {
            "actor": fresh(actor, adam(s.actor_rate)),
            "skill": fresh(skill, adam(s.skill_rate)),
        }

    def policy(self, agent: Agent) -> CategoricalActor:
        """The actor."""
        return agent["actor"].model

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Fit the skill, label expert transitions, clone."""
        s = self.settings
        keys = jax.random.split(key)
        skill, metrics = fit_skill(agent["skill"], memory, s, keys[0])
        state, next_state = expert_pairs(expert, keys[1], (s.actor_steps, CLONING_BATCH))
        label = skill.model.mode(state, next_state)
        actor, loss = descend(
            agent["actor"],
            adam(s.actor_rate),
            lambda model, batch: behaviour_cloning.loss(model, *batch),
            (state, label),
        )
        return {"actor": actor, "skill": skill}, metrics | {"policy_loss": loss}


@dataclass(frozen=True)
class SupervisedMethod:
    """Planner by maximum likelihood on the demonstrations, skill from experience."""

    settings: Supervised

    def init(self, key: Key[Array, ""], states: int, actions: int) -> Agent:
        """Planner and skill."""
        s = self.settings
        planner_key, skill_key = jax.random.split(key)
        planner = CategoricalPlanner(planner_key, states, (s.hidden,) * 2)
        skill = CategoricalSkill(skill_key, states, actions, (s.hidden,) * 3)
        return {
            "planner": fresh(planner, adam(s.planner_rate)),
            "skill": fresh(skill, adam(s.skill_rate)),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """Planner, then skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def update(
        self, agent: Agent, rollout: Rollout, memory: Memory, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Fit the skill on all data, the planner on expert transitions."""
        s = self.settings
        keys = jax.random.split(key)
        skill, metrics = fit_skill(agent["skill"], memory, s, keys[0])
        planner, loss = descend(
            agent["planner"],
            adam(s.planner_rate),
            lambda model, batch: supervised_planner.loss(model, *batch),
            expert_pairs(expert, keys[1], (s.planner_steps, s.demo_batch)),
        )
        reached = jnp.mean(rollout.plan == rollout.next_state)
        metrics |= {"planner_loss": loss, "plan_reached": reached}
        return {"planner": planner, "skill": skill}, metrics
