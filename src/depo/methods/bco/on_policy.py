"""What BCO uses on finite states."""

from __future__ import annotations

from dataclasses import dataclass

import jax
from jaxtyping import Array, Float, Int, Key

from depo.data.transitions import Pairs, Rollout
from depo.losses import behaviour_cloning
from depo.methods.bco import OnPolicyBCO
from depo.methods.bco.method import BCOMethod, Keys
from depo.methods.method import Metrics
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import Spaces
from depo.methods.on_policy.steps import adam, demonstrated, expert_pairs, fit_skill
from depo.methods.optimisation import Trained, descend, fresh
from depo.models.policy import CategoricalActor
from depo.models.skill import CategoricalSkill

CLONING_BATCH = 64


@dataclass(frozen=True)
class FiniteCloning:
    """Rounds of steps in each iteration."""

    settings: OnPolicyBCO

    def new_actor(self, key: Key[Array, ""], shape: Spaces) -> Trained[CategoricalActor]:
        """A policy about to be trained."""
        s = self.settings
        return fresh(CategoricalActor(key, *shape, (s.learning.hidden,) * 2), adam(s.actor_rate))

    def new_skill(self, key: Key[Array, ""], shape: Spaces) -> Trained[CategoricalSkill]:
        """A skill about to be fitted."""
        s = self.settings
        return fresh(CategoricalSkill(key, *shape, (s.learning.hidden,) * 3), adam(s.skill.rate))

    def keys(self, key: Key[Array, ""]) -> Keys:
        """Labels are modes, and likelihoods are exact."""
        return Keys(*jax.random.split(key))

    def fit_skill(
        self,
        skill: Trained[CategoricalSkill],
        experience: Memory,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Trained[CategoricalSkill], Metrics]:
        """All data, until the held-out ones stop improving."""
        wanted = demonstrated(expert, skill.model.states)
        return fit_skill(skill, experience, self.settings.skill, wanted, key)

    def draw(
        self, expert: Pairs, recent: Rollout, key: Key[Array, ""]
    ) -> tuple[Int[Array, "steps batch"], Int[Array, "steps batch"]]:
        """Minibatches for every step."""
        return expert_pairs(expert, key, (self.settings.actor_steps, CLONING_BATCH))

    def label(
        self,
        skill: CategoricalSkill,
        state: Int[Array, "steps batch"],
        next_state: Int[Array, "steps batch"],
        key: None,
    ) -> Int[Array, "steps batch"]:
        """The likeliest actions."""
        return skill.mode(state, next_state)

    def clone(
        self,
        actor: Trained[CategoricalActor],
        state: Int[Array, "steps batch"],
        label: Int[Array, "steps batch"],
        key: None,
    ) -> tuple[Trained[CategoricalActor], Float[Array, ""]]:
        """A step on each minibatch."""
        return descend(
            actor,
            adam(self.settings.actor_rate),
            lambda model, batch: behaviour_cloning.loss(model, *batch),
            (state, label),
        )


def build(settings: OnPolicyBCO) -> BCOMethod:
    """The method on finite states."""
    return BCOMethod(settings, FiniteCloning(settings))
