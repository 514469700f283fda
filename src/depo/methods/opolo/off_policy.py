"""OPOLO on vectors: discriminator, dual critics, skill, and a policy that follows them."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Transitions
from depo.losses import behaviour_cloning, dual_divergence, soft_policy, twin_critic
from depo.methods.gaifo.off_policy import GAIfOMethod
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.settings import SkillNoise
from depo.methods.off_policy.steps import draw_pairs, new_skill, step, update_skill
from depo.methods.opolo import OffPolicyOPOLO
from depo.methods.optimisation import Trained, follow
from depo.methods.sac.off_policy import Actor
from depo.models.action_space import ActionSpace
from depo.models.policy import DecoupledPolicy, DiscreteActor, GaussianActor


@dataclass(frozen=True)
class OPOLOMethod(GAIfOMethod):
    """GAIfO's discriminator; critics and policy by the dual; the skill labels demonstrations."""

    settings: OffPolicyOPOLO

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """GAIfO's models and a skill."""
        own, key = jax.random.split(key)
        noise = SkillNoise().noise  # nobody samples it
        return super().init(key, shape) | {
            "skill": new_skill(own, shape, self.settings, self.pace, noise)
        }

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Discriminator, critics, skill, then policy and temperature."""
        s = self.settings
        keys = jax.random.split(key, 5)
        agent, reward, metrics = self.update_adversary(agent, batch, expert, keys[0])
        agent, ratio, more = self._update_critics(agent, batch, reward, expert, keys[1])
        skill, fit = update_skill(agent["skill"], wide, s.skill, self.pace)
        shown = draw_pairs(expert, keys[2], batch.state.shape[0])
        label = skill.model.mode(shown[0], skill.model.select(shown[1]))
        alpha = agent["temperature"].model()

        def loss(actor: Actor) -> tuple[Float[Array, ""], Float[Array, ""]]:
            now, entropy = self._soft_value(agent, actor, "critic", batch.state, keys[3])
            later, _ = self._soft_value(agent, actor, "target", batch.next_state, keys[4])
            live = jnp.where(batch.terminated, 0.0, later)
            value = dual_divergence.policy_value(now, live, ratio, s.start_weight, s.critic.gamma)
            own = s.inverse_weight * _cloned(actor, shown[0], label) - value
            return own + s.actor.output_penalty * _size(actor, batch.state), entropy

        actor, value, entropy = step(agent["actor"], self.optimiser(), loss)
        temperature = agent["temperature"]
        if s.actor.tune_temperature:
            actions = ActionSpace(batch.action.shape[-1], getattr(actor.model, "choices", ()))
            temperature = self._tune(temperature, entropy, soft_policy.wanted_entropy(actions))
        metrics |= more | fit | {"policy_loss": value, "entropy": entropy, "temperature": alpha}
        changed = {"actor": actor, "temperature": temperature, "skill": skill}
        return agent | changed, metrics

    def _update_critics(
        self,
        agent: Agent,
        batch: Transitions,
        reward: Float[Array, " batch"],
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """A step of the dual, then of the targets; the ratio of densities of the batch."""
        s = self.settings
        next_key, own_key = jax.random.split(key)
        conjugate = dual_divergence.CONJUGATES[s.divergence]
        next_value = self.target_value(agent, batch.next_state, next_key)
        learned = batch._replace(reward=reward)
        end = self.end_value(agent, learned, next_value, expert, next_key)
        goal = twin_critic.target(reward, next_value, batch.terminated, end, s.critic.gamma)
        own = self.policy(agent).sample(batch.state, own_key).action
        critic, loss, values = step(
            agent["critic"],
            self.pace.adam(s.critic.rate, s.networks.adam_beta),
            lambda model: dual_divergence.critic_loss(
                model, batch.state, batch.action, own, goal, conjugate, s.start_weight
            ),
        )
        target = follow(agent["target"].model, critic.model, s.critic.follow)
        ratio = dual_divergence.density_ratio(goal - jnp.min(values, axis=0), conjugate)
        changed = {"critic": critic, "target": Trained(target, None)}
        return agent | changed, ratio, {"critic_loss": loss, "value": jnp.mean(values)}

    def _soft_value(
        self,
        agent: Agent,
        actor: Actor,
        critics: str,
        state: Float[Array, "batch sees"],
        key: Key[Array, ""],
    ) -> tuple[Float[Array, " batch"], Float[Array, ""]]:
        """min Q(s,a) − α log π(a|s) of the policy's own actions, and its entropy."""
        critic, alpha = agent[critics].model, agent["temperature"].model()
        if isinstance(actor, DiscreteActor):
            chosen = actor.distribution(state)
            value = soft_policy.exact_value(chosen, critic, state, alpha)
            return value, jnp.mean(chosen.entropy())
        action, log_prob, _ = actor.sample_log_prob(state, key)
        return critic.least(state, action) - alpha * log_prob, -jnp.mean(log_prob)


def _size(actor: Actor, state: Float[Array, "batch sees"]) -> Float[Array, ""]:
    """The mean square of the policy's outputs, as soft actor-critic has it."""
    assert not isinstance(actor, DecoupledPolicy)
    if isinstance(actor, DiscreteActor):
        return jnp.mean(actor.distribution(state).logits ** 2)
    before = actor.before_tanh(state)
    return jnp.mean(before.mean**2) + jnp.mean(before.log_std**2)


def _cloned(
    actor: Actor, state: Float[Array, "batch sees"], label: Float[Array, "batch actions"]
) -> Float[Array, ""]:
    """What the skill reads into demonstrations, and the policy should do there."""
    assert not isinstance(actor, DecoupledPolicy)
    if isinstance(actor, GaussianActor):
        return behaviour_cloning.squared(actor.mode(state).action, label)
    return behaviour_cloning.of_choices(actor, state, label)
