"""Episodes of a recording: where they start, and how long they are."""

from __future__ import annotations

import numpy as np

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, listed, number, span, verb
from depo.analysis.recordings.units import OUTSIDE
from depo.data.demonstrations import Demonstrations, place

LENIENT = 1.1
"""How exactly the number of steps is known where states are other than one step apart."""


def find_starts(demos: Demonstrations, comparison: Comparison) -> list[Finding]:
    """Features that begin, in most episodes, where no reset puts them."""
    wrong = np.flatnonzero(comparison.starts_outside > OUTSIDE)
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
