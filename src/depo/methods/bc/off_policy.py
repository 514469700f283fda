"""Behavioural cloning on vectors."""

from __future__ import annotations

from dataclasses import dataclass

import optax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Acted, Transitions
from depo.losses import behaviour_cloning
from depo.methods.bc import OffPolicyBC
from depo.methods.method import Agent, Method, Metrics
from depo.methods.off_policy.method import STEADY, Pace, Shape
from depo.methods.off_policy.steps import draw_steps, new_actor, step
from depo.methods.optimisation import fresh
from depo.models.policy import DiscreteActor, GaussianActor

Actor = GaussianActor | DiscreteActor


@dataclass(frozen=True)
class BCMethod(Method):
    """The policy learns what was done in demonstrated states; experience teaches it nothing."""

    settings: OffPolicyBC
    pace: Pace = STEADY

    def init(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """A policy about to be trained."""
        actor = new_actor(key, shape, shape.layers(self.settings.networks.hidden))
        return {"actor": fresh(actor, self._optimiser())}

    def policy(self, agent: Agent) -> Actor:
        """The actor."""
        actor: Actor = agent["actor"].model
        return actor

    def update(
        self,
        agent: Agent,
        batch: Transitions,
        wide: Transitions,
        expert: Acted,
        key: Key[Array, ""],
    ) -> tuple[Agent, Metrics]:
        """One step on as many demonstrated actions as a minibatch has."""
        shown = draw_steps(expert, key, batch.state.shape[0])
        by_mean = self.settings.clone_loss == "squared"

        def loss(actor: Actor) -> tuple[Float[Array, ""], None]:
            if by_mean and isinstance(actor, GaussianActor):
                meant = actor.mode(shown.state).action
                return behaviour_cloning.squared(meant, shown.action), None
            return behaviour_cloning.likelihood(actor, shown.state, shown.action), None

        actor, value, _ = step(agent["actor"], self._optimiser(), loss)
        return {"actor": actor}, {"policy_loss": value}

    def _optimiser(self) -> optax.GradientTransformation:
        s = self.settings
        return self.pace.adam(s.actor_rate, s.networks.adam_beta)
