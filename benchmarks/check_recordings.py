"""What ``depo demos check`` finds in recordings that were damaged on purpose.

    python benchmarks/check_recordings.py                    the shipped recordings
    python benchmarks/check_recordings.py hopper=mine.npz    and yours, by environment
    python benchmarks/check_recordings.py --controllers      and those of written-down controllers

Prints a table of corruptions and recordings: ``+`` is named as what it is, ``o`` warned of under
another name, ``-`` not found, and nothing where it cannot be done. The first rows are right
recordings, which must have no warning (``+``): as it is, few and short episodes, a little noise.
With ``--sentences`` every sentence is printed, too; ``--only WORD,WORD``: rows with one of these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from controllers import recorded

from depo.analysis.recordings.check import compare
from depo.analysis.recordings.exploration import Explored, explore
from depo.analysis.recordings.named import environment_names
from depo.analysis.recordings.pairs import find_pairs
from depo.analysis.simulator import Simulator
from depo.data import Demonstrations, load_demonstrations
from depo.environments.by_name import named_environment

CONTROLLED = (
    "CartPole-v1",
    "Acrobot-v1",
    "Pendulum-v1",
    "MountainCarContinuous-v0",
    "InvertedDoublePendulum-v5",
    "Reacher-v5",
    "Swimmer-v5",
)
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


Change = Callable[[Episodes], Episodes]


def right(explored: Explored) -> dict[str, tuple[str, Change]]:
    """Recordings in which nothing is wrong."""
    drawn, quiet = np.random.default_rng(SEED), 1e-3 * explored.moves.usual_change
    return {
        "as it is": ("", lambda episodes: episodes),
        "one episode": ("", lambda es: es[-1:]),
        "two episodes": ("", lambda es: es[:2]),
        "episodes of 60 states": ("", lambda es: [e[:60] for e in es]),
        "episodes of 12 states": ("", lambda es: [e[:12] for e in es]),
        "lengths that differ much": (
            "",
            lambda es: [e[: 15 + len(e) * i // len(es)] for i, e in enumerate(es)],
        ),
        "a little noise": ("", lambda es: [e + quiet * drawn.normal(size=e.shape) for e in es]),
        "four decimals": ("", lambda es: [np.round(e, 4) for e in es]),
    }


def flipped(*columns: int) -> Change:
    """Some features with the other sign."""
    return scaled(-1.0, list(columns))


def shifted(by: float, *columns: int) -> Change:
    """Some features with another zero."""

    def change(episodes: Episodes) -> Episodes:
        zeros = np.zeros(episodes[0].shape[1])
        zeros[list(columns)] = by
        return [episode + zeros for episode in episodes]

    return change


def of_quaternion(names: Sequence[str]) -> dict[str, tuple[str, Change]]:
    """What may be wrong with a quaternion, where there is one."""
    four = [i for i, name in enumerate(names) if name.split()[-1] in ("q0", "q1", "q2", "q3")]
    if len(four) != 4:
        return {}
    turned = np.arange(len(names))
    turned[four] = np.roll(four, -1)
    return {
        "a quaternion that turns the other way": ("sign", flipped(*four[1:])),
        "a quaternion as x, y, z, w": ("order", ordered(turned)),
    }


def corruptions(explored: Explored) -> dict[str, tuple[str, Change]]:
    """What is wrong: the kind of finding that names it, and how it is done."""
    pairs, size = find_pairs(explored.moves), explored.moves.features
    if len(pairs) < 2:
        return {}
    positions, velocities = [p.position for p in pairs], [p.velocity for p in pairs]
    rest = np.setdiff1d(np.arange(size), [*positions, *velocities])
    generator = np.random.default_rng(SEED)
    joints = ((positions[-1], positions[-2]), (velocities[-1], velocities[-2]))
    none = np.zeros(size)
    none[1] = 1
    return {
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
        "a joint with the other sign, velocity too": (
            "sign",
            flipped(positions[-1], velocities[-1]),
        ),
        "the first joint so": ("sign", flipped(positions[0], velocities[0])),
        "a velocity with the other sign": ("sign", flipped(velocities[-1])),
        "a joint with another zero": ("zero", shifted(0.5, positions[-1])),
        "the first joint so, the other way": ("zero", shifted(-0.3, positions[0])),
        "two decimals": ("rounded", lambda es: [np.round(e, 2) for e in es]),
        "one decimal": ("rounded", lambda es: [np.round(e, 1) for e in es]),
        "recorded 2.5 times as often": ("step size", resampled(0.4)),
        "recorded twice as often": ("step size", resampled(0.5)),
        "every second state": ("step size", resampled(2)),
        "every fifth state": ("step size", resampled(5)),
        "every state twice": ("repeated", lambda es: [np.repeat(e[:500], 2, axis=0) for e in es]),
        "a feature stuck": ("constant", lambda es: [np.where(none > 0, 0.3, e) for e in es]),
        "a column twice": ("duplicate", ordered(np.where(none > 0, 0, np.arange(size)))),
        "begins in mid-motion": ("starts", lambda es: [e[150:] for e in es]),
    }


def judge(demos: Demonstrations, env: str, *, sentences: bool, only: str) -> dict[str, str]:
    """A sign for every corruption."""
    environment = named_environment(env).gymnasium()
    explored, signs = explore(environment), {}
    names = environment_names(environment, demos.dimension)
    simulator = Simulator.of(environment, demos.dimension)
    tried = {**right(explored), **corruptions(explored), **of_quaternion(names)}
    for label, (kind, change) in tried.items():
        if not any(word in label for word in only.split(",")):
            continue
        damaged = Demonstrations.from_episodes(
            [e.astype(np.float32) for e in change([*map(np.float64, demos)]) if len(e) > 1]
        )
        found = compare(damaged, explored, names, simulator).findings
        kinds = [finding.kind for finding in found]
        is_right = kinds[:1] == [kind] if kind else not kinds
        signs[label] = "+" if is_right else "o" if kinds else "-"
        if sentences:
            print(f"{env}, {label}: {'; '.join(map(str, found)) or 'fits'}", flush=True)
    return signs


def main() -> None:
    """Print the table as Markdown."""
    words = sys.argv[1:]
    only = words[words.index("--only") + 1] if "--only" in words else ""
    given = [word.partition("=") for word in words if "=" in word]
    sets = {name: (name, load_demonstrations(name)) for name in SHIPPED}
    sets |= {Path(file).stem: (env, load_demonstrations(file)) for env, _, file in given}
    if "--controllers" in words:
        sets |= {task: (task, recorded(task)) for task in CONTROLLED}
    if "--given" in words:
        sets = {name: own for name, own in sets.items() if name not in SHIPPED}
    judged = {
        name: judge(demos, env, sentences="--sentences" in words, only=only)
        for name, (env, demos) in sets.items()
    }
    print(f"| | {' | '.join(judged)} |\n| --- |{' :-: |' * len(judged)}")
    labels = dict.fromkeys(label for signs in judged.values() for label in signs)
    for label in labels:
        print(f"| {label} | {' | '.join(signs.get(label, '') for signs in judged.values())} |")


if __name__ == "__main__":
    main()
