"""Scores on finite states by playing episodes, where nothing exact is known."""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.core.seeds import EVALUATION, derived_seed
from depo.evaluation.evaluator import EPISODES, Playable, Scores
from depo.models.policy import PolicyModel
from depo.models.skill import Skill


class FiniteRollouts:
    """Deterministic policy, fixed held-out seeds, the first episode of every copy."""

    chosen_by = ""

    def __init__(self, environment: Playable, seeds: Sequence[int], episodes: int = EPISODES):
        self.shape = (len(seeds), episodes)
        self._envs = environment.vector(len(seeds) * episodes)
        self._env_seeds = [derived_seed(EVALUATION, s, e) for s in seeds for e in range(episodes)]
        self._decide = eqx.filter_jit(eqx.filter_vmap(lambda policy, state: policy.mode(state)))

    def __call__(self, policies: Sequence[PolicyModel], skills: Sequence[Skill | None]) -> Scores:
        """Mean return and length for each seed."""
        del skills
        stacked = stack_seeds(policies)
        state = self._envs.reset(self._env_seeds)
        returns, lengths = np.zeros(state.shape), np.zeros(state.shape)
        playing = np.ones(state.shape, bool)
        reached = np.zeros(state.shape)
        for _ in self._envs.steps_to_the_end():
            decision = self._decide(stacked, state.reshape(self.shape).astype(np.int32))
            action, plan = (np.asarray(x).reshape(-1) for x in decision)
            state, arrived, reward, ended, cut = self._envs.step(action)
            returns += playing * reward
            lengths += playing
            reached += playing * (plan == arrived)
            playing &= ~(ended | cut)
            if not playing.any():
                break
        scores = {"return": returns, "episode_length": lengths}
        if (plan >= 0).any():
            scores["plan_reached_evaluation"] = reached / lengths
        by_seed = {name: x.reshape(self.shape).mean(axis=1) for name, x in scores.items()}
        return [{n: float(x[i]) for n, x in by_seed.items()} for i in range(self.shape[0])]

    def close(self) -> None:
        """Close the simulator."""
        self._envs.close()


def stack_seeds(policies: Sequence[PolicyModel]) -> PolicyModel:
    """One policy whose arrays have a leading axis of seeds."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *policies)
