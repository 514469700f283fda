"""On-policy learning in a Gymnasium environment, which only Python can step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from depo.core.seeds import TRAINING, derived_seed
from depo.data.transitions import Rollout
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.vector_stepper import VectorStepper
from depo.learners.on_policy import LearnerState, OnPolicyLearner, explore


class GymnasiumLearner(OnPolicyLearner):
    """Decisions and updates compiled; only the environment's steps are Python's."""

    def __init__(self, environment: GymnasiumEnvironment, seeds: Sequence[int], **common: Any):
        states, actions = environment.finite_sizes()
        super().__init__(states=states, actions=actions, **common)
        self._seeds = tuple(seeds)
        self._envs: VectorStepper = environment.vector(
            len(self._seeds) * self.settings.collection.copies
        )
        self._state = np.zeros(0, np.int64)
        self._decide = eqx.filter_jit(jax.vmap(self._decide_one))
        self._learn = eqx.filter_jit(jax.vmap(self.learn), donate="all")
        self._split = jax.jit(jax.vmap(jax.random.split))

    def synchronise(self, state: LearnerState, number: int) -> None:
        """Reset every copy from a seed that only run seed, checkpoint and copy determine."""
        copies = range(self.settings.collection.copies)
        seeds = [derived_seed(TRAINING, s, number, c) for s in self._seeds for c in copies]
        self._state = self._envs.reset(seeds)

    def advance(self, state: LearnerState) -> tuple[LearnerState, dict[str, np.ndarray]]:
        """``evaluate_every`` iterations for every seed; metrics are means over them."""
        history = []
        for _ in range(self.settings.saving.evaluate_every):
            keys = self._split(state.key)
            rollout = self._gather(state, keys[:, 1])
            state = LearnerState(state.seed, state.agent, state.memory, keys[:, 0])
            state, metrics = self._learn(state, rollout)
            history.append({name: np.asarray(value) for name, value in metrics.items()})
        return state, {name: np.mean([m[name] for m in history], axis=0) for name in history[0]}

    def close(self) -> None:
        """Close the environments."""
        self._envs.close()

    def _decide_one(
        self, state: LearnerState, observed: Int[Array, " copies"], key: Key[Array, ""]
    ) -> tuple[Int[Array, " copies"], Int[Array, " copies"]]:
        policy = self.method.policy(state.agent)
        return explore(policy, observed, self.actions, self.settings.exploration.epsilon, key)

    def _gather(self, state: LearnerState, keys: Key[Array, " seeds"]) -> Rollout:
        """One rollout for each seed: arrays (seeds, time, copies)."""
        shape = (len(self._seeds), self.settings.collection.copies)
        steps = []
        for t in range(self.time):
            step_keys = jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, t)
            before = jnp.array(self._state.reshape(shape).astype(np.int32))
            action, plan = self._decide(state, before, step_keys)
            self._state, reached, reward, ended, cut = self._envs.step(
                np.asarray(action).reshape(-1)
            )
            after = [
                jnp.array(x.reshape(shape))
                for x in (reached.astype(np.int32), reward, ended, cut & ~ended)
            ]
            steps.append(Rollout(before, action, plan, *after))
        return jax.tree.map(lambda *xs: np.stack([np.asarray(x) for x in xs], axis=1), *steps)
