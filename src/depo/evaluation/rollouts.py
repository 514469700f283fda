"""Scores on finite states by playing episodes, where nothing exact is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

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
        decide = Remembered(lambda states: self._decide(stacked, states), self.shape)
        for _ in self._envs.steps_to_the_end():
            action, plan = decide(state)
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


class Remembered:
    """Deterministic decisions, asked for where a seed's policy has not been yet: a call of the
    compiled policy takes longer than a step, and a lost agent goes in circles to the time limit.

    >>> asked = []
    >>> decide = Remembered(lambda s: (asked.append(s.tolist()), (s + 1, s + 2))[1], (1, 2))
    >>> [decide(np.array(states))[0].tolist() for states in ([3, 3], [3, 4], [4, 3])]
    [[4, 4], [4, 5], [5, 4]]
    >>> asked
    [[[3, 3]], [[3, 4]]]
    """

    def __init__(self, decide: Callable[[np.ndarray], Sequence[Array]], shape: tuple[int, int]):
        self._decide, self._shape = decide, shape
        self._seeds = np.repeat(np.arange(shape[0]), shape[1]).tolist()
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def __call__(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Actions and plans of all copies."""
        cells = list(zip(self._seeds, state.tolist(), strict=True))
        if any(cell not in self._known for cell in cells):
            found = self._decide(state.reshape(self._shape).astype(np.int32))
            action, plan = (np.asarray(x).reshape(-1).tolist() for x in found)
            self._known.update(zip(cells, zip(action, plan, strict=True), strict=True))
        known = np.array([self._known[cell] for cell in cells])
        return known[:, 0], known[:, 1]


def stack_seeds(policies: Sequence[PolicyModel]) -> PolicyModel:
    """One policy whose arrays have a leading axis of seeds."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *policies)
