"""Q(s,s') on vectors: critics of transitions, and a planner that follows them through a cycle."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import decoupled_policy_gradient as depg
from depo.losses import distal_skill, dynamics_gradient
from depo.methods.depo.off_policy import AdversarialMethod, PlannerGradientMethod
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import new_critics, new_discriminator, new_skill, step
from depo.methods.optimisation import Trained, follow, fresh
from depo.methods.qss import OffPolicyQSS, OffPolicyQSSGAIfO
from depo.methods.transfer.off_policy import new_forward
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.scalar import Scalar

SHARP = -5.0
"""The log deviation of plans: nothing random, and a planner like the others for who takes it on."""
SMALLEST = 1e-8
"""The least mean square of a reward that it is measured by."""


@dataclass(frozen=True)
class DynamicsGradientMethod(PlannerGradientMethod):
    """Critics see (s,s'), the planner follows them through I and f; subclasses say the reward."""

    settings: OffPolicyQSS | OffPolicyQSSGAIfO

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Planner, its target, inverse and forward model, and critics of changes of state."""
        s = self.settings
        keys = jax.random.split(key, 4)
        hidden, sharp = shape.layers(s.networks.hidden), (SHARP, SHARP)
        planner = GaussianPlanner(keys[0], shape.normaliser, hidden, shape.predicts, sharp)
        forward = new_forward(keys[2], shape, s)
        changes = shape._replace(actions=len(shape.predicts), choices=())
        return {
            "planner": fresh(planner, self.planner_optimiser()),
            "planner_target": Trained(planner, None),
            "skill": new_skill(keys[1], shape, s, self.pace, s.noise.noise),
            "forward": fresh(forward, self.forward_optimiser()),
            **new_critics(keys[3], changes, s, self.pace),
        }

    def planner_optimiser(self) -> optax.GradientTransformation:
        """Of the planner."""
        s = self.settings
        return self.pace.of_planner().adam(s.proposals.rate, s.networks.adam_beta)

    def forward_optimiser(self) -> optax.GradientTransformation:
        """Of the forward model."""
        return self.pace.adam(self.settings.proposals.forward_rate)

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """The state proposed, then the skill."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model, spread=False)

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Reward, critics, planner, inverse and forward model; then the planner's target."""
        agent, metrics = super().update(agent, batch, wide, expert, key)
        rate = self.settings.critic.follow
        target = follow(agent["planner_target"].model, agent["planner"].model, rate)
        return agent | {"planner_target": Trained(target, None)}, metrics

    def with_demonstrations(
        self,
        agent: Agent,
        batch: Transitions,
        reward: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Transitions, Float[Array, " batch"]]:
        """What the critics learn from: the batch, with changes of state in place of actions."""
        planner = agent["planner"].model
        change = planner.difference(batch.state, planner.select(batch.next_state))
        return batch._replace(action=change), reward

    def target_value(
        self, agent: Agent, state: Float[Array, "batch sees"], key: Key[Array, ""]
    ) -> Float[Array, " batch"]:
        """min Q̄(s, f(s, I(s, τ̄(s)))), τ̄ the planner's target."""
        planner, skill = agent["planner_target"].model, agent["skill"].model
        _, reached = dynamics_gradient.cycle(planner, skill, agent["forward"].model, state)
        return agent["target"].model.least(state, reached)

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """−E[Q(s,ŝ)] + c·E‖ŝ − τ(s)‖², ŝ = f(s, I(s, τ(s)))."""
        s = self.settings
        skill, forward, critic = (agent[name].model for name in ("skill", "forward", "critic"))
        follows, missed = dynamics_gradient.loss(planner, skill, forward, critic, batch.state)
        follows = depg.UNITS[s.decoupled_gradient.value_unit](follows, value)
        return -jnp.mean(follows) + s.proposals.cycle * missed, {"cycle_error": missed}

    def fit_skill(
        self, agent: Agent, batch: Transitions, wide: Transitions, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """A step of the inverse model towards the actions taken, and of the forward model."""
        agent, metrics = super().fit_skill(agent, batch, wide, key)
        planner, rows = agent["planner"].model, (wide.state, wide.action, wide.next_state)
        forward, error, _ = step(
            agent["forward"],
            self.forward_optimiser(),
            lambda model: (distal_skill.forward_loss(model, planner, *rows), None),
        )
        return agent | {"forward": forward}, metrics | {"forward_loss": error}


@dataclass(frozen=True)
class QSSMethod(DynamicsGradientMethod):
    """D3G: on the environment's own reward."""

    settings: OffPolicyQSS

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Also what is usual of the reward."""
        usual = {
            "centre": Trained(Scalar(jnp.zeros(())), None),
            "size": Trained(Scalar(jnp.ones(())), None),
        }
        return super().init(key, shape) | usual

    def update_reward(
        self, agent: Agent, batch: Transitions, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """The environment's own reward, less its mean, in units of its size."""
        s, mean = self.settings.reward, jnp.mean(batch.reward)
        centre = follow(agent["centre"].model, Scalar(mean), s.reward_centre)
        size = follow(agent["size"].model, Scalar(jnp.mean(batch.reward**2)), s.reward_size)
        agent |= {"centre": Trained(centre, None), "size": Trained(size, None)}
        return agent, self._in_units(agent, batch.reward), {"reward": mean}

    def end_value(
        self,
        agent: Agent,
        batch: Transitions,
        next_value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> Float[Array, ""] | float:
        """No reward for ever: what was taken off every reward is taken off those too."""
        return self._in_units(agent, jnp.zeros(())) / (1.0 - self.settings.critic.gamma)

    def _in_units(self, agent: Agent, reward: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
        centred = reward - agent["centre"].model.value
        unit = jax.lax.rsqrt(jnp.maximum(agent["size"].model.value, SMALLEST))
        return self.settings.reward.reward_scale * unit * centred


@dataclass(frozen=True)
class QSSGAIfOMethod(DynamicsGradientMethod, AdversarialMethod):
    """On the reward of a discriminator, which sees (s,s') as the critics do."""

    settings: OffPolicyQSSGAIfO  # type: ignore[assignment]

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Also a discriminator."""
        own, key = jax.random.split(key)
        discriminator = new_discriminator(own, shape, self.settings, self.pace)
        return super().init(key, shape) | discriminator
