"""SAIL on vectors: soft actor-critic on states' alignment, held to a prior of planner and skill."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Pairs, Transitions
from depo.losses import gradient_penalty, policy_prior, state_alignment, variational_prediction
from depo.methods.gaifo.off_policy import GAIfOMethod
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.settings import SkillNoise
from depo.methods.off_policy.steps import (
    draw_pairs,
    follow_reward,
    new_skill,
    reward_of,
    step,
    update_skill,
)
from depo.methods.optimisation import fresh
from depo.methods.sac.off_policy import Actor
from depo.methods.sail import OffPolicySAIL
from depo.models.discriminator import StatePotential
from depo.models.policy import choices_of
from depo.models.skill import DiscreteSkill
from depo.models.variational_planner import VariationalPlanner


@dataclass(frozen=True)
class SAILMethod(GAIfOMethod):
    """The discriminator is a potential of states; the actor is drawn to what the skill would do
    for the predicted state."""

    settings: OffPolicySAIL

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """SAC's models, the potential, predictor and skill."""
        s = self.settings
        keys = jax.random.split(key, 4)
        hidden, narrow = shape.layers(s.networks.hidden), shape.layers(s.discriminator.hidden, 2, 2)
        potential = StatePotential(keys[1], shape.normaliser, narrow)
        planner = VariationalPlanner(
            keys[2], shape.normaliser, hidden, s.prior.latent, shape.predicts
        )
        noise = SkillNoise().noise  # nobody samples it
        return super().init(keys[0], shape) | {
            "discriminator": fresh(potential, self.pace.adam(s.discriminator.rate)),
            "planner": fresh(planner, self.planner_optimiser()),
            "skill": new_skill(keys[3], shape, s, self.pace, noise),
        }

    def planner_optimiser(self) -> optax.GradientTransformation:
        """Of the predictor."""
        return self.pace.adam(self.settings.prior.rate, self.settings.networks.adam_beta)

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Predictor and skill, the potential, then soft actor-critic on its reward."""
        keys = jax.random.split(key, 4)
        shown = draw_pairs(expert, keys[0], batch.state.shape[0])
        agent, fit = self.update_prior(agent, wide, shown, keys[1])
        agent, reward, more = self.update_alignment(agent, batch, shown, keys[2])
        agent, metrics = self.update_on(agent, batch, reward, expert, keys[3])
        return agent, metrics | fit | more

    def update_prior(
        self, agent: Agent, wide: Transitions, shown: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the predictor on demonstrated steps, and of the skill on the agent's."""
        s = self.settings
        planner, _, missed = step(
            agent["planner"],
            self.planner_optimiser(),
            lambda model: variational_prediction.loss(model, *shown, s.prior.latent_weight, key),
        )
        skill, metrics = update_skill(agent["skill"], wide, s.skill, self.pace)
        return agent | {"planner": planner, "skill": skill}, metrics | {"planner_loss": missed}

    def update_alignment(
        self, agent: Agent, batch: Transitions, shown: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """A step of the potential, then its reward of the states reached."""
        s = self.settings.discriminator

        def loss(model: StatePotential) -> tuple[Float[Array, ""], Float[Array, ""]]:
            expert, own = (model.normaliser(x) for x in (shown[0], batch.state))
            apart = state_alignment.loss(model, shown[0], batch.state)
            penalty = gradient_penalty.loss(model, expert, own, key)
            return apart + s.gradient_penalty * penalty, -apart

        trained, _, apart = step(agent["discriminator"], self.pace.adam(s.rate), loss)
        nearness = state_alignment.reward(trained.model, shown[0], batch.next_state)
        agent = agent | {"discriminator": trained}
        agent, reward, metrics = follow_reward(agent, reward_of(nearness, s), s)
        return agent, reward, metrics | {"wasserstein_distance": apart}

    def actor_loss(
        self,
        actor: Actor,
        agent: Agent,
        state: Float[Array, "batch sees"],
        alpha: Float[Array, ""],
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Soft actor-critic's, and the divergence from what the skill would do."""
        loss, entropy = super().actor_loss(actor, agent, state, alpha, key)
        planner, skill = agent["planner"].model, agent["skill"].model
        plan = planner.mode(state)
        chosen = choices_of(actor, state)
        if chosen is not None and isinstance(skill, DiscreteSkill):
            apart = policy_prior.of_choices(chosen, skill.distribution(state, plan))
        else:
            apart = policy_prior.squared(actor.sample(state, key).action, skill.mode(state, plan))
        return loss + self.settings.prior.weight * apart, entropy
