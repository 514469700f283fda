"""The method's code, imported when a run begins."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from depo.data.transitions import Pairs, Rollout
from depo.methods.method import Agent, Metrics
from depo.methods.on_policy.experience import Memory
from depo.methods.optimisation import uniform_index
from depo.methods.supervised.method import SupervisedMethod
from depo.methods.supervised.on_policy import FiniteFitting
from noisy_demonstrations import NoisySupervised


@dataclass(frozen=True)
class NoisySupervisedMethod(SupervisedMethod):
    """Supervised DePO on demonstrations that are corrupted before they are learned from."""

    settings: NoisySupervised

    def update(
        self,
        agent: Agent,
        recent: Rollout,
        experience: Memory,
        expert: Pairs[jax.Array],
        key: jax.Array,
    ) -> tuple[Agent, Metrics]:
        """Replace a share of the next states, then learn as before."""
        states, reached = expert
        coin, draw = jax.random.split(jax.random.fold_in(key, 1_000))
        wrong = jax.random.bernoulli(coin, self.settings.label_noise, reached.shape)
        anywhere = uniform_index(draw, reached.shape, agent["planner"].model.states)
        noisy = (states, jnp.where(wrong, anywhere, reached))
        return super().update(agent, recent, experience, noisy, key)


def build(settings: NoisySupervised) -> NoisySupervisedMethod:
    """What a learner is given."""
    return NoisySupervisedMethod(settings, FiniteFitting(settings))
