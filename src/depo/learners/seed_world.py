"""One seed's simulator, replay and demonstrations, and the random numbers it draws."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from depo.environments.host import HostEnvironment, Sizes, VectorStepper
from depo.learners.replay import Replay
from depo.learners.seeds import TRAINING, derived_seed, stream
from depo.methods.off_policy.method import Pairs, Shape
from depo.models.planner import GaussianPlanner
from depo.models.standard import Standard
from depo.settings.off_policy import (
    DemoSettings,
    DePORL,
    OffPolicySettings,
    SkillSettings,
    remembers,
)

DRAW, RANDOM, REFIT, KIND = 11, 12, 13, 14
"""Words from which the seeds of minibatches, random actions, refits and other kinds of the
environment are derived."""


class SeedWorld:
    """One seed's simulator, replay and demonstrations."""

    def __init__(
        self,
        environment: HostEnvironment,
        sizes: Sizes,
        seed: int,
        expert: tuple[np.ndarray, np.ndarray] | None,
        settings: OffPolicySettings,
        predicts: tuple[int, ...],
        kind: int = 0,
    ):
        self.seed, self.settings, self.actions = seed, settings, sizes.actions
        self.predicts = predicts
        self.random_seed = derived_seed(KIND, seed, kind) % 2**31 if kind else seed
        self.envs: VectorStepper = environment.vector(settings.copies)
        capacity = settings.replay
        if isinstance(settings, SkillSettings):
            capacity = max(capacity, settings.skill_replay)
        self.replay = Replay(capacity, sizes.states, sizes.actions)
        nothing = np.zeros((1, sizes.states), np.float32)
        pairs = expert if expert is not None else (nothing, nothing)
        self.expert: Pairs = (jnp.array(pairs[0]), jnp.array(pairs[1]))
        self.standardises_itself = (
            expert is None and isinstance(settings, DePORL) and settings.standardise
        )
        self.remembers = remembers(settings)
        self.state = np.zeros(0, np.float32)

    def shape(self) -> Shape:
        """The coordinates networks see: the demonstrations' statistics, or none (yet)."""
        s, states = self.settings, self.expert[0]
        own = states.shape[1] // 2 if self.remembers else states.shape[1]
        if not isinstance(s, DemoSettings) or not s.standardise:
            return self._shape(Standard.none(own), Standard.none(states.shape[1]))
        if self.standardises_itself:
            begin = Standard.none(own, s.clip_states)
            return self._shape(begin, Standard.none(states.shape[1], s.clip_states))
        every = Standard.of(states, s.clip_states)
        return self._shape(Standard.of(states[:, :own], s.clip_states), every)

    def shape_of(self, planner: GaussianPlanner) -> Shape:
        """The coordinates of a planner that is given: its own statistics, never new ones."""
        own = planner.standard
        skill = own.twice() if self.remembers else own
        return Shape(own, self.actions, skill, planner.predicts)

    def _shape(self, standard: Standard, skill: Standard) -> Shape:
        return Shape(standard, self.actions, skill, self.predicts)

    def reset(self, number: int) -> None:
        """Start every copy from a seed that only run seed, checkpoint and copy determine."""
        copies = range(self.settings.copies)
        self.state = self.envs.reset(
            [derived_seed(TRAINING, self.random_seed, number, c) for c in copies]
        )

    def generator(self, word: int) -> np.random.Generator:
        """Random numbers that only run seed, purpose and transitions so far determine."""
        return np.random.default_rng([word, self.random_seed, self.replay.total])

    def key(self, word: int) -> Key[Array, ""]:
        """The same for JAX."""
        own = stream(jnp.asarray(self.random_seed), word)
        return jax.random.fold_in(own, self.replay.total)
