"""What a job imitates: the demonstrations it names, checked to fit, and each seed's draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from depo.core.errors import DepoError
from depo.core.seeds import derived_seed
from depo.data.checked_arrays import place
from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.data.transitions import Acted
from depo.environments.family import EnvironmentSettings, family_of
from depo.environments.gymnasium_environment import GymnasiumEnvironment

DRAW_DEMOS = 3
"""The word from which the seeds of drawn demonstrations are derived."""
FEWEST_EPISODES, ENOUGH_STATES = 4, 4_000
"""What is drawn where no number is given: four episodes are what is usually reported, and as many
states are needed where they are short, as when one reaches for something."""


def default_demonstrations(environment: EnvironmentSettings, name: str) -> Demonstrations:
    """The demonstrations named, or the environment's own."""
    if name:
        return load_demonstrations(name)
    return family_of(environment).demonstrations(environment)


def check_demonstrations(demos: Demonstrations, states: int, environment: str) -> None:
    """Refuse demonstrations of another state space."""
    if not demos.is_finite:
        raise DepoError(
            f"demonstrations hold {demos.dimension}-dimensional vectors, {environment} has "
            f"{states} finite states: pass --demos recorded there"
        )
    row = int(demos.observations.argmax())
    highest = int(demos.observations[row])
    if highest >= states:
        raise DepoError(
            f"demonstrations visit state {highest} in {place(demos.episode_lengths, row)}, "
            f"{environment} has states 0 to {states - 1}: pass --demos recorded there"
        )


class Drawn(NamedTuple):
    """The demonstrations a seed learns from, and the others."""

    seen: Demonstrations | None
    held_out: Demonstrations | None


def draw_demonstrations(demos: Demonstrations, episodes: int, seed: int) -> Drawn:
    """Each seed draws its own episodes, as many as asked, or enough of them (0); with too few, all
    are seen and none held out.

    >>> demos = Demonstrations(np.zeros((60, 1)), np.full(30, 2))
    >>> [draw_demonstrations(demos, asked, seed=0).seen.episodes for asked in (7, 0)]
    [7, 30]
    """
    order = np.random.default_rng(derived_seed(DRAW_DEMOS, seed)).permutation(demos.episodes)
    numbers = order.tolist()
    if not episodes:
        states = np.cumsum(demos.episode_lengths[order])
        episodes = max(FEWEST_EPISODES, 1 + int(np.searchsorted(states, ENOUGH_STATES)))
    seen, rest = sorted(numbers[:episodes]), sorted(numbers[episodes:])
    return Drawn(demos.select(seen), demos.select(rest) if rest else None)


def expert_pairs(demos: Demonstrations, remember: bool) -> tuple[np.ndarray, np.ndarray]:
    """Expert transitions (s,s'); with memory the state before is appended to either."""
    if not remember:
        return demos.transitions()
    pairs = []
    for episode in demos:
        before = np.concatenate([episode[:1], episode[:-1]])
        remembered = np.concatenate([episode, before], axis=1)
        pairs.append((remembered[:-1], remembered[1:]))
    return tuple(np.concatenate(column) for column in zip(*pairs, strict=True))  # type: ignore[return-value]


def expert_actions(demos: Demonstrations, environment: GymnasiumEnvironment) -> Acted:
    """Expert transitions (s,s') with the actions as networks see them."""
    taken = demos.actions_taken()
    assert taken is not None
    recorded = demos.metadata.get("dynamics", environment.dynamics)
    if recorded != environment.dynamics:
        raise DepoError(
            f"actions were recorded under the dynamics '{recorded}' and mean something else under "
            f"'{environment.dynamics}': train where they were recorded"
        )
    return Acted(*demos.transitions(), environment.network_actions(taken))


def check_actions(demos: Demonstrations, method: str) -> None:
    """Refuse demonstrations without actions, for a method that imitates them."""
    if demos.actions is None:
        raise DepoError(
            f"{method} imitates actions and these demonstrations have none: pass --demos of "
            "'depo demos record RUN FILE --keep-actions', or take gaifo, which needs states alone"
        )


def check_order(demos: Demonstrations, names: Sequence[str], environment: str) -> None:
    """Refuse the environment's own features in another order; with other names, nobody can tell."""
    said = demos.feature_names
    if tuple(said) != tuple(names) and sorted(said) == sorted(names):
        place = next(i for i, (a, b) in enumerate(zip(said, names, strict=True)) if a != b)
        raise DepoError(
            f"demonstrations have '{said[place]}' as feature {place}, {environment} has "
            f"'{names[place]}': put the columns into the order {', '.join(names)}"
        )


def check_states(demos: Demonstrations, environment: EnvironmentSettings) -> None:
    """Refuse demonstrations of another environment's states."""
    own = environment.gymnasium()
    if own.is_finite():
        check_demonstrations(demos, own.finite_sizes().states, environment.label)
        return
    shorter = family_of(environment).shorter_states(environment)
    check_vectors(demos, own.vector_sizes().states, own.id, shorter)
    check_order(demos, own.feature_names(), own.id)


def check_vectors(
    demos: Demonstrations, dimension: int, environment: str, shorter: str = ""
) -> None:
    """Refuse demonstrations of another state space; ``shorter`` tells where states are shorter."""
    if demos.is_finite:
        raise DepoError(
            f"demonstrations hold finite states, {environment} has {dimension}-dimensional "
            "vectors: pass --demos recorded there"
        )
    if demos.dimension != dimension:
        hint = f" ({shorter})" if shorter else ""
        raise DepoError(
            f"demonstrations hold {demos.dimension}-dimensional states, {environment} has "
            f"{dimension}: pass --demos recorded there, or the --env-args they were recorded "
            f"with{hint}"
        )
