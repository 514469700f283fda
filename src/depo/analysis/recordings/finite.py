"""Recordings of finite states: numbers in range, starts, and steps that are ever taken."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from depo.analysis.recordings.exploration import Explored
from depo.analysis.recordings.findings import Finding
from depo.data.checked_arrays import place
from depo.data.demonstrations import Demonstrations

OFTEN = 30
"""How often random actions must have left a state before its next states count as known."""
FEWEST, LEAST = 20, 0.25
"""Comparable steps below which nothing is said, and the share of them that must be known."""


def find_in_finite(demos: Demonstrations, explored: Explored, states: int) -> list[Finding]:
    """What does not fit, in the order in which it should be mended."""
    return (
        _find_outside(demos, states)
        or _find_starts(demos, explored)
        or _find_unknown_steps(demos, explored)
    )


def _find_outside(demos: Demonstrations, states: int) -> list[Finding]:
    row = int(demos.observations.argmax())
    if demos.observations[row] < states:
        return []
    return [
        Finding(
            "bounds",
            f"{place(demos.episode_lengths, row)} is state {int(demos.observations[row])}, the "
            f"environment has states 0 to {states - 1}: number states as it does",
        )
    ]


def _find_starts(demos: Demonstrations, explored: Explored) -> list[Finding]:
    """Where resets know few states: starts that are none of them."""
    resets = explored.moves.starts.astype(int).ravel()
    known = set(resets.tolist())
    first = np.cumsum(demos.episode_lengths) - demos.episode_lengths
    starts = demos.observations[first]
    strange = [i for i, state in enumerate(starts.tolist()) if state not in known]
    if 4 * len(known) > len(resets) or 2 * len(strange) <= len(starts):
        return []
    return [
        Finding(
            "starts",
            f"{len(strange)} of {demos.episodes} episodes start where no reset does (episode "
            f"{strange[0]}, step 0, is state {starts[strange[0]]}, {len(resets)} resets know "
            f"{', '.join(map(str, sorted(known)[:4]))}): number states as the environment does",
        )
    ]


def _find_unknown_steps(demos: Demonstrations, explored: Explored) -> list[Finding]:
    """Steps from well-known states that random actions never made."""
    left, follows = Counter[int](), defaultdict[int, set[int]](set)
    pairs = zip(
        explored.moves.states.astype(int).ravel().tolist(),
        explored.moves.reached.astype(int).ravel().tolist(),
        strict=True,
    )
    for state, after in pairs:
        left[state] += 1
        follows[state].add(after)
    states, reached = (x.tolist() for x in demos.transitions())
    known = [(s, n) for s, n in zip(states, reached, strict=True) if left[s] >= OFTEN]
    made = sum(after in follows[state] for state, after in known)
    if len(known) < FEWEST or made >= LEAST * len(known):
        return []
    return [
        Finding(
            "reachable",
            f"of {len(known):,} recorded steps from states that random actions left {OFTEN} times "
            f"and more, they ever made {made / len(known):.0%}: other rules, or states that are "
            "numbered otherwise",
        )
    ]
