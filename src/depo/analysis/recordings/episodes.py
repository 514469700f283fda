"""Episodes of a recording: where they start, and how long they are."""

from __future__ import annotations

import numpy as np

from depo.analysis.recordings.comparison import NOISE, Comparison
from depo.analysis.recordings.findings import Finding, listed, number, span, verb
from depo.analysis.recordings.pairs import FEWEST
from depo.analysis.recordings.units import EPISODES, OUTSIDE
from depo.data.checked_arrays import place
from depo.data.demonstrations import Demonstrations

BEYOND = 0.2
"""Part of the resets' range by which all starts must lie outside of it."""
LENIENT = 1.1
"""How exactly the number of steps is known where states are other than one step apart."""


def find_few(demos: Demonstrations) -> list[Finding]:
    """A recording of so few steps that nothing can be compared, nor much be learned."""
    steps = int((demos.episode_lengths - 1).sum())
    if steps >= FEWEST:
        return []
    said = "has one step" if steps == 1 else f"has {steps} steps in all"
    return [
        Finding("few", f"the recording {said}, too few to compare or to learn from: record more")
    ]


def find_starts(demos: Demonstrations, comparison: Comparison) -> list[Finding]:
    """Features that begin, in most episodes, where no reset puts them."""
    wrong = np.flatnonzero((comparison.starts_outside > OUTSIDE) | _all_beyond(comparison))
    if not len(wrong):
        return []
    worst, features, names = (
        int(comparison.starts_outside.argmax()),
        wrong.tolist(),
        comparison.names,
    )
    starts = comparison.recording.starts[:, worst]
    resets = comparison.explored.moves.starts[:, worst]
    middle = np.median(resets)
    episode = int(np.abs(starts - middle).argmax())
    row = int(demos.episode_lengths[:episode].sum())
    return [
        Finding(
            "starts",
            f"{listed(names, features)} {verb(features, 'begins', 'begin')} where no reset does "
            f"({place(demos.episode_lengths, row, names[worst])} is {number(starts[episode])}, "
            f"resets have {span(resets)}): recordings that begin in mid-motion, or another unit",
            tuple(features),
        )
    ]


def _all_beyond(comparison: Comparison) -> np.ndarray:
    """Features that begin, in every one of many episodes, beyond the same end of all resets, as
    where a sensor has an offset."""
    own, resets = comparison.recording.starts, comparison.explored.moves.starts
    if len(own) < EPISODES:
        return np.zeros(own.shape[1], bool)
    low, high = resets.min(axis=0), resets.max(axis=0)
    slack = BEYOND * (high - low) + NOISE * np.abs(comparison.explored.moves.states).max(axis=0)
    found = (own.min(axis=0) > high + slack) | (own.max(axis=0) < low - slack)
    found[list(comparison.ignored)] = False
    return np.asarray(found)


def find_lengths(demos: Demonstrations, limit: int | None, step_size: float = 1.0) -> list[Finding]:
    """Episodes longer than the environment lets any be, were states ``step_size`` steps apart."""
    steps = demos.episode_lengths - 1
    allowed = (
        np.inf if limit is None else limit if step_size == 1.0 else LENIENT * limit / step_size
    )
    if limit is None or steps.max() <= allowed:
        return []
    longest = int(steps.argmax())
    return [
        Finding(
            "lengths",
            f"episode {longest} has {int(steps[longest]):,} steps, the environment ends episodes "
            f"after {limit:,} ({int((steps > allowed).sum())} of {demos.episodes} are longer): cut "
            "them, or raise its time limit",
        )
    ]
