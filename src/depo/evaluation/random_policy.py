"""What acting at random scores: the lower end of every yardstick."""

from __future__ import annotations

import numpy as np

from depo.core.seeds import YARDSTICK, derived_seed
from depo.evaluation.evaluator import Playable
from depo.evaluation.vector_rollouts import Player


def random_scores_on_vectors(environment: Playable, episodes: int) -> dict[str, float]:
    """Mean return, and success where the environment reports it, of uniformly random actions."""
    player = Player(environment, 0, episodes, YARDSTICK)
    try:
        played = player.play(None)
    finally:
        player.close()
    scores = {"return": float(np.mean(played.returns()))}
    if np.isfinite(successes := played.successes()).all():
        scores["success"] = float(np.mean(successes))
    return scores


def random_scores_on_finite_states(
    environment: Playable, actions: int, episodes: int
) -> dict[str, float]:
    """The same where states and actions are numbered."""
    simulators = environment.vector(episodes)
    seeds = [derived_seed(YARDSTICK, 0, e) for e in range(episodes)]
    generator = np.random.default_rng(seeds)
    returns, playing = np.zeros(episodes), np.ones(episodes, bool)
    try:
        simulators.reset(seeds)
        for _ in simulators.steps_to_the_end():
            _, _, reward, ended, cut = simulators.step(generator.integers(actions, size=episodes))
            returns += playing * reward
            playing &= ~(ended | cut)
            if not playing.any():
                break
    finally:
        simulators.close()
    return {"return": float(np.mean(returns))}
