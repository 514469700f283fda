"""The decoupled policy on vectors, learned from the environment's own reward."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.methods.depo.off_policy import PlannerGradientMethod, calibrated_gradient
from depo.methods.depo_rl import OffPolicyDePORL
from depo.methods.method import Agent, Metrics
from depo.models.planner import GaussianPlanner


@dataclass(frozen=True)
class DePORLMethod(PlannerGradientMethod):
    """DePG + c·CDePG on the environment's reward: no demonstrations."""

    settings: OffPolicyDePORL

    def update_reward(
        self, agent: Agent, batch: Transitions, expert: Pairs, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """The environment's own reward."""
        reward = self.settings.reward_scale * batch.reward
        return agent, reward, {"reward": jnp.mean(reward)}

    def planner_loss(
        self,
        planner: GaussianPlanner,
        agent: Agent,
        batch: Transitions,
        value: Float[Array, " batch"],
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Float[Array, ""], Metrics]:
        """DePG + c·CDePG."""
        s = self.settings.calibration
        own = planner.distribution(batch.state)
        gradient, planned, metrics = self.follow_critics(planner, own, agent, batch, value, key)
        calibrated = calibrated_gradient(planner, own, agent, batch, (value, planned), s)
        metrics |= {"calibrated_loss": calibrated}
        return gradient + s.weight * calibrated, metrics
