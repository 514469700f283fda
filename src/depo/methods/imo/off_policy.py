"""IMO on vectors: soft actor-critic, rewarded by how near it comes to the predicted state."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from depo.data.transitions import Pairs, Transitions
from depo.losses import predicted_state_reward
from depo.methods.imo import OffPolicyIMO
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import fit_planner, new_planner, planner_optimiser
from depo.methods.sac.off_policy import SoftActorCritic


@dataclass(frozen=True)
class IMOMethod(SoftActorCritic):
    """The reward is ψ of the distance to what a planner, which never acts, predicts."""

    settings: OffPolicyIMO

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """SAC's models and the predictor."""
        own, key = jax.random.split(key)
        planner = new_planner(own, shape, self.settings, self.pace)
        return super().init(key, shape) | {"planner": planner}

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """Predictor, then soft actor-critic on its reward."""
        s, size = self.settings, batch.state.shape[0]
        own, key = jax.random.split(key)
        optimiser = planner_optimiser(s, self.pace)
        planner, fit = fit_planner(
            agent["planner"], expert, size, s.supervision_loss, optimiser, own
        )
        reward = s.prediction.scale * predicted_state_reward.reward(
            planner.model, batch.state, batch.next_state, s.prediction.nearness, s.prediction.width
        )
        reward = jax.lax.stop_gradient(reward)
        agent, metrics = self.update_on(agent | {"planner": planner}, batch, reward, expert, key)
        return agent, metrics | fit | {"reward": jnp.mean(reward)}
