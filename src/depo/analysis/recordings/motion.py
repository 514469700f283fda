"""Positions that do not follow their velocities, and changes that no random action comes near."""

from __future__ import annotations

import numpy as np

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, listed, number, verb
from depo.analysis.recordings.moves import MOST_OF, NOTHING
from depo.analysis.recordings.pairs import missed
from depo.analysis.recordings.reachable import Reach
from depo.data.checked_arrays import place
from depo.data.demonstrations import Demonstrations

LEAPS = float(np.log(20.0))
"""Experts' usual change in a step is up to 4 times that of random actions."""
JUMP, FEW = 5.0, 0.05
"""How many times as far as all explored steps a jump misses its velocity, and the share of steps
that may be jumps: more of them are no jumps."""
FEWEST, LEAST = 20, 0.25
"""Comparable steps below which nothing is said, and the share of them that must be reachable:
recordings that fit have 0.6 and more."""


def find_velocities(comparison: Comparison) -> list[Finding]:
    """Pairs of the environment that the recording does not have."""
    broken = comparison.broken
    if not broken:
        return []
    names, own = (
        comparison.names,
        dict(zip(comparison.pairs, comparison.recorded_pairs, strict=True)),
    )
    first = broken[0]
    positions = [pair.position for pair in broken]
    return [
        Finding(
            "velocity",
            f"{listed(names, positions)} {verb(positions, 'does', 'do')} not change as "
            f"{verb(positions, 'its velocity says', 'their velocities say')} (in the environment "
            f"'{names[first.position]}' follows '{names[first.velocity]}' with a correlation of "
            f"{first.correlation:.2f}, in the recording {own[first].correlation:.2f}): another "
            "order, a rate far below the environment's, noise, or velocities of another frame",
            tuple(feature for pair in broken for feature in pair.both),
        )
    ]


def find_opposite(comparison: Comparison) -> list[Finding]:
    """Positions that go the other way than their velocities say, if that is all that is wrong."""
    pairs = comparison.opposite
    if not pairs or len(pairs) < len(comparison.broken):
        return []
    positions = [pair.position for pair in pairs]
    return [
        Finding(
            "sign",
            f"{listed(comparison.names, positions)} {verb(positions, 'goes', 'go')} the other way "
            f"than {verb(positions, 'its velocity says', 'their velocities say')}: one of the two "
            "has the other sign, multiply it by -1",
            tuple(feature for pair in pairs for feature in pair.both),
        )
    ]


def find_leaps(comparison: Comparison) -> list[Finding]:
    """Features that change in a step by far more than under random actions."""
    wrong = np.flatnonzero(comparison.change_ratios > LEAPS)
    if not len(wrong):
        return []
    features = wrong.tolist()
    worst = int(wrong[np.argmax(comparison.change_ratios[wrong])])
    own, usual = comparison.recording.usual_change, comparison.explored.moves.usual_change
    return [
        Finding(
            "range",
            f"{listed(comparison.names, features)} {verb(features, 'changes', 'change')} far more "
            f"in a step than under random actions ('{comparison.names[worst]}' by "
            f"{number(own[worst])}, there by {number(usual[worst])}): another unit, or "
            "states that are many steps apart",
            tuple(features),
        )
    ]


def find_boundaries(demos: Demonstrations, comparison: Comparison) -> list[Finding]:
    """Steps in which a position goes where no velocity led: what was played after a reset, written
    as if it had gone on."""
    own, explored = comparison.recording, comparison.explored.moves
    jumps = np.zeros(len(own.states), bool)
    worst = (0.0, 0)
    for pair in comparison.pairs:
        if set(pair.both) & set(comparison.ignored):
            continue
        left, usual = (np.abs(missed(moves, pair)) for moves in (own, explored))
        change = np.abs(own.change[:, pair.position])
        limit = JUMP * max(float(usual.max()), float(np.quantile(left, MOST_OF)))
        far = (left > limit) & (change > np.abs(explored.change[:, pair.position]).max())
        jumps |= far
        if far.any():
            worst = max(worst, (float((left / (limit + NOTHING)).max()), pair.position))
    if not jumps.any() or jumps.mean() > FEW:
        return []
    feature, state = worst[1], own.states[jumps][0]
    row = int(np.abs(demos.observations - state).sum(axis=1).argmin())
    where = place(demos.episode_lengths, row, comparison.names[feature])
    step = number(float(np.abs(own.change[jumps, feature]).max()))
    return [
        Finding(
            "range",
            f"in {int(jumps.sum())} of {len(jumps):,} steps positions jump as no velocity says "
            f"(after {where}, which jumps by up to {step}): several episodes written as one, or an "
            "angle kept in one turn? Say where episodes begin",
            (feature,),
        )
    ]


def find_unreachable(found: Reach | None) -> list[Finding]:
    """A recording whose steps, where they can be compared, no action makes."""
    if found is None or found.comparable < FEWEST or found.share >= LEAST:
        return []
    return [
        Finding(
            "reachable",
            f"of {found.comparable:,} recorded steps that begin where random exploration was, any "
            f"action makes {found.share:.0%} (of explored steps {found.usual:.0%}): other "
            "dynamics, another step size, or features in another order",
        )
    ]
