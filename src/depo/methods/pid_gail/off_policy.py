"""PID-GAIL on vectors: a planner decides, controllers execute, nobody differentiates them."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import decision_gradient
from depo.methods.depo.off_policy import AdversarialMethod
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import new_critics, new_discriminator, new_planner
from depo.methods.optimisation import Trained
from depo.methods.pid_gail import OffPolicyPIDGAIL
from depo.models.planner import GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.skill import AnalyticSkill


@dataclass(frozen=True)
class Idle:
    """No controllers: stands still. A job without any is refused; the learner puts its own here."""

    actions: int

    def __call__(
        self, state: Float[Array, "*batch sees"], target: Float[Array, "*batch predicts"]
    ) -> Float[Array, "*batch actions"]:
        """Nothing."""
        return jnp.zeros((*state.shape[:-1], self.actions))


@dataclass(frozen=True)
class PIDGAILMethod(AdversarialMethod):
    """The planner is the decision module; its gradient is that of likelihoods."""

    settings: OffPolicyPIDGAIL  # type: ignore[assignment]

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """Decisions, critics, discriminator, and a place for the controllers."""
        s = self.settings
        keys = jax.random.split(key, 3)
        far = shape._replace(normaliser=shape.normaliser.striding(s.decisions.steps))
        return {
            "planner": new_planner(keys[0], far, s, self.pace),
            "skill": Trained(AnalyticSkill(Idle(shape.actions)), None),
            **new_critics(keys[1], shape, s, self.pace),
            **new_discriminator(keys[2], shape, s, self.pace),
        }

    def policy(self, agent: Agent) -> DecoupledPolicy:
        """A decision, then the controllers."""
        return DecoupledPolicy(agent["planner"].model, agent["skill"].model)

    def with_demonstrations(
        self,
        agent: Agent,
        batch: Transitions,
        reward: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Transitions, Float[Array, " batch"]]:
        """The batch alone."""
        return batch, reward

    def fit_skill(
        self, agent: Agent, batch: Transitions, wide: Transitions, key: Key[Array, ""]
    ) -> tuple[Agent, Metrics]:
        """Controllers learn nothing."""
        return agent, {}

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """−E[Â·log h(d|s)] − w·H."""
        s, models = self.settings.decisions, (agent["skill"].model, agent["critic"].model)
        loss, entropy = decision_gradient.loss(planner, *models, batch.state, s.count, key)
        return loss - s.entropy * entropy, {"entropy": entropy}
