"""Whether recorded episodes end by themselves, as those of an expert who arrives, and how often.

A file of states does not say why an episode ends: the expert arrived, the time was over, or the
recorder was stopped. Here the time is over at the environment's limit, a recorder leaves all
episodes at one length (a single one at a round number), and where it is stopped at random, states
like the last ones are found anywhere in other episodes, not only shortly before their ends.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from depo.data import Demonstrations

EARLY = 0.9
"""Share of the time limit from which an episode counts as one that went on to it."""
NEIGHBOURS = 10
"""As many states are asked how far from their end they are."""
ROUND = 50
"""A single episode of 50, 100, 150, … steps or states was cut: who arrives has such a length once
in 25 times."""
ASKED = 32
"""At most this many episodes are looked at, evenly spaced."""


def share_of_ends(demos: Demonstrations, limit: int) -> float:
    """Share of the steps that end an episode, if most episodes end by themselves; else 0.

    >>> def rising(*states): return Demonstrations.from_episodes(
    ...     [np.linspace(0, 1, n, dtype=np.float32)[:, None] for n in states])
    >>> share_of_ends(rising(99, 103, 101), 500), share_of_ends(rising(99, 103, 101), 102)
    (0.01, 0.0)
    >>> share_of_ends(rising(203, 203, 203), 500), share_of_ends(rising(200), 500)
    (0.0, 0.0)
    """
    steps = demos.episode_lengths - 1
    early = steps < EARLY * limit
    if _is_of_one_length(demos) or np.mean(early) <= 0.5 or _is_cut(demos):
        return 0.0
    return float(np.sum(early) / np.sum(steps))


def _is_of_one_length(demos: Demonstrations) -> bool:
    """Whether somebody has set how long an episode is; of one alone, whether its length is round,
    of states or of steps."""
    if demos.episodes > 1:
        return len(np.unique(demos.episode_lengths)) == 1
    states = int(demos.episode_lengths[0])
    return states > 1 and (states % ROUND == 0 or (states - 1) % ROUND == 0)


def _is_cut(demos: Demonstrations) -> bool:
    """Whether episodes were cut anywhere: states like their last ones are, on average, no nearer to
    an end than any (half an episode). With few episodes that is known less well, and to take an
    end that is meant for a cut is the worse mistake: the agent would arrive and not end."""
    return mean_time_left(demos) > 0.1 + 0.4 / demos.episodes


def mean_time_left(demos: Demonstrations) -> float:
    """How much of an episode is still to come, from 0 to 1, in the recorded states most like an
    episode's last one, on average: in other episodes, or with a single one earlier in that.

    >>> cycles = [np.sin(np.arange(b, b + n) * 0.7)[:, None] for b, n in ((0, 90), (31, 160))]
    >>> 0.4 < mean_time_left(Demonstrations.from_episodes(cycles)) < 0.6
    True
    """
    episodes = list(demos)
    scale = np.maximum(np.std(demos.observations, axis=0), 1e-6)
    asked = np.unique(np.linspace(0, len(episodes) - 1, ASKED).astype(int))
    return float(np.mean([_time_left(episodes, int(own), scale) for own in asked]))


def _time_left(
    episodes: list[Float[np.ndarray, "_ sees"]], own: int, scale: Float[np.ndarray, " sees"]
) -> float:
    last = episodes[own][-1]
    others = episodes[:own] + episodes[own + 1 :]
    if not others:  # without the last tenth: neighbours in time are always alike
        others = [episodes[own][: max(2, len(episodes[own]) * 9 // 10)]]
    far = np.concatenate([np.mean(((each - last) / scale) ** 2, axis=1) for each in others])
    left = np.concatenate([np.linspace(1.0, 0.0, len(each)) for each in others])
    nearest = np.argpartition(far, min(NEIGHBOURS, len(far)) - 1)[:NEIGHBOURS]
    return float(np.mean(left[nearest]))
