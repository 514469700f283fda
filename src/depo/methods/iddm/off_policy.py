"""IDDM on vectors: GAIfO's reward, and what each step adds to a bound of I(s; (a,s'))."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from depo.data.transitions import Expert, Transitions
from depo.losses import mutual_information
from depo.methods.gaifo.off_policy import GAIfOMethod
from depo.methods.iddm import OffPolicyIDDM
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.steps import step
from depo.methods.optimisation import fresh
from depo.models.discriminator import ActionDiscriminator


@dataclass(frozen=True)
class IDDMMethod(GAIfOMethod):
    """The policy's entropy is soft actor-critic's own; that of states is a second reward."""

    settings: OffPolicyIDDM

    def new_adversary(self, key: Key[Array, ""], shape: Shape) -> Agent:
        """GAIfO's, and the network that finds the bound."""
        own, key = jax.random.split(key)
        s, states = self.settings, shape.normaliser.mean.shape[0]
        hidden = shape.layers(s.discriminator.hidden, share=2)
        network = ActionDiscriminator(own, shape.normaliser, shape.actions + states, hidden)
        information = fresh(network, self.pace.adam(s.information_rate))
        return super().new_adversary(key, shape) | {"information": information}

    def update_adversary(
        self, agent: Agent, batch: Transitions, expert: Expert, key: Key[Array, ""]
    ) -> tuple[Agent, Float[Array, " batch"], Metrics]:
        """GAIfO's reward, and λ_s times what each step adds to the bound, about its mean: a
        constant would be a reason to live or to die."""
        s = self.settings
        agent, reward, metrics = super().update_adversary(agent, batch, expert, key)
        effect = self._effect(agent, batch)

        def loss(network: ActionDiscriminator) -> tuple[Float[Array, ""], Float[Array, " batch"]]:
            both = mutual_information.statistics(network, batch.state, effect)
            return mutual_information.loss(*both), mutual_information.pointwise(*both)

        optimiser = self.pace.adam(s.information_rate)
        trained, value, added = step(agent["information"], optimiser, loss)
        if clip := s.discriminator.logit_clip:
            added = jnp.clip(added, -clip, clip)
        bonus = jax.lax.stop_gradient(added - jnp.mean(added))
        metrics |= {"mutual_information": -value}
        return agent | {"information": trained}, reward + s.state_entropy * bonus, metrics

    def _effect(self, agent: Agent, batch: Transitions) -> Float[Array, "batch effects"]:
        """(a,s') as the network sees them."""
        reached = agent["information"].model.normaliser(batch.next_state)
        return jnp.concatenate([batch.action, reached], axis=-1)
