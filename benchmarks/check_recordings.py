"""What ``depo demos check`` finds in recordings that were damaged on purpose.

    python benchmarks/check_recordings.py                    the shipped recordings
    python benchmarks/check_recordings.py hopper=mine.npz    and yours, by environment

Prints a table of corruptions and recordings: ``+`` is named as what it is, ``o`` warned of under
another name, ``-`` not found; the first row is the recording as it is, which must have no warning.
With ``--sentences`` every sentence is printed, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from depo.analysis.recordings.check import compare
from depo.analysis.recordings.exploration import Explored, explore
from depo.analysis.recordings.named import environment_names
from depo.analysis.recordings.pairs import find_pairs
from depo.data import Demonstrations, load_demonstrations
from depo.environments.family import named_environment

SHIPPED = ("inverted-pendulum", "hopper", "walker2d", "half-cheetah")
SEED = 100
DEGREES = 180 / np.pi
Episodes = list[np.ndarray]


def scaled(factor: float, *columns: list[int]) -> Callable[[Episodes], Episodes]:
    """Some features in another unit."""

    def change(episodes: Episodes) -> Episodes:
        factors = np.ones(episodes[0].shape[1])
        factors[[i for group in columns for i in group]] = factor
        return [episode * factors for episode in episodes]

    return change


def ordered(columns: np.ndarray) -> Callable[[Episodes], Episodes]:
    """Features in another order."""
    return lambda episodes: [episode[:, columns] for episode in episodes]


def resampled(apart: float) -> Callable[[Episodes], Episodes]:
    """States that are so many steps apart, interpolated between the recorded ones."""

    def one(episode: np.ndarray) -> np.ndarray:
        time = np.arange(0, len(episode) - 1, apart)
        before = np.minimum(time.astype(int), len(episode) - 2)
        share = (time - before)[:, None]
        return episode[before] * (1 - share) + episode[before + 1] * share

    return lambda episodes: [one(episode) for episode in episodes]


def swapped(size: int, *pairs: tuple[int, int]) -> np.ndarray:
    """An order in which some features have changed places."""
    columns = np.arange(size)
    for one, other in pairs:
        columns[[one, other]] = other, one
    return columns


def corruptions(explored: Explored) -> dict[str, tuple[str, Callable[[Episodes], Episodes]]]:
    """What is wrong: the kind of finding that names it, and how it is done."""
    pairs, size = find_pairs(explored.moves), explored.moves.features
    positions, velocities = [p.position for p in pairs], [p.velocity for p in pairs]
    rest = np.setdiff1d(np.arange(size), [*positions, *velocities])
    generator = np.random.default_rng(SEED)
    joints = ((positions[-1], positions[-2]), (velocities[-1], velocities[-2]))
    none = np.zeros(size)
    none[1] = 1
    return {
        "as it is": ("", lambda episodes: episodes),
        "one position in millimetres": ("units", scaled(1_000, positions[:1])),
        "all positions in millimetres": ("units", scaled(1_000, positions)),
        "one position in degrees": ("units", scaled(DEGREES, positions[1:2])),
        "a joint in degrees, velocity too": (
            "units",
            scaled(DEGREES, positions[1:2], velocities[1:2]),
        ),
        "all but the first joint in degrees": (
            "units",
            scaled(DEGREES, positions[1:], velocities[1:]),
        ),
        "velocities in degrees": ("units", scaled(DEGREES, velocities)),
        "columns shuffled": ("order", ordered(generator.permutation(size))),
        "columns reversed": ("order", ordered(np.arange(size)[::-1])),
        "columns moved by one": ("order", ordered(np.roll(np.arange(size), 1))),
        "velocities before positions": ("order", ordered(np.r_[velocities, positions, rest])),
        "two positions exchanged": ("order", ordered(swapped(size, (positions[0], positions[1])))),
        "two joints exchanged, velocities too": ("order", ordered(swapped(size, *joints))),
        "recorded 2.5 times as often": ("step size", resampled(0.4)),
        "recorded twice as often": ("step size", resampled(0.5)),
        "every second state": ("step size", resampled(2)),
        "every fifth state": ("step size", resampled(5)),
        "every state twice": ("repeated", lambda es: [np.repeat(e[:500], 2, axis=0) for e in es]),
        "a feature stuck": ("constant", lambda es: [np.where(none > 0, 0.3, e) for e in es]),
        "a column twice": ("duplicate", ordered(np.where(none > 0, 0, np.arange(size)))),
        "begins in mid-motion": ("starts", lambda es: [e[150:] for e in es]),
    }


def judge(demos: Demonstrations, env: str, *, sentences: bool) -> dict[str, str]:
    """A sign for every corruption."""
    environment = named_environment(env).gymnasium()
    explored, signs = explore(environment), {}
    names = environment_names(environment, demos.dimension)
    for label, (kind, change) in corruptions(explored).items():
        damaged = Demonstrations.from_episodes(change(list(demos)))
        found = compare(damaged, explored, names).findings
        kinds = [finding.kind for finding in found]
        right = kinds[:1] == [kind] if kind else not kinds
        signs[label] = "+" if right else "o" if kinds else "-"
        if sentences:
            print(f"{env}, {label}: {'; '.join(map(str, found)) or 'fits'}")
    return signs


def main() -> None:
    """Print the table as Markdown."""
    words = sys.argv[1:]
    given = [word.partition("=") for word in words if "=" in word]
    sets = {name: (name, load_demonstrations(name)) for name in SHIPPED}
    sets |= {Path(file).stem: (env, load_demonstrations(file)) for env, _, file in given}
    judged = {
        name: judge(demos, env, sentences="--sentences" in words)
        for name, (env, demos) in sets.items()
    }
    print(f"| | {' | '.join(judged)} |\n| --- |{' :-: |' * len(judged)}")
    for label in next(iter(judged.values())):
        print(f"| {label} | {' | '.join(signs[label] for signs in judged.values())} |")


if __name__ == "__main__":
    main()
