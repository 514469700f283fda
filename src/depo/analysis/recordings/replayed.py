"""Recorded steps done again in the simulator: is there a change of features by which they succeed?

Joints exchanged together with their velocities, a joint with the other sign, an angle with another
zero, a quaternion that turns the other way: features alone look as they should, dynamics do not.
Nothing is said unless one such change explains the recording's steps several times better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, Kind, listed, number
from depo.analysis.recordings.moves import NOTHING, Moves
from depo.analysis.recordings.units import OUTSIDE
from depo.analysis.simulator import BALL, FREE, Simulator

SAMPLES = 24
"""Steps that are done again."""
MOVING = 0.25
"""Part of a usual step's square that a step must have to be one of them."""
FITS = 0.03
"""What may be left of a step, the median, and nothing is looked for: older simulators leave it."""
BETTER, LEAST = 3.0, 0.15
"""How many times less a change must leave to be believed, and what it may leave at most."""
ROUNDS = (3, 3, 6)
"""Steps towards an action, in each round of the search; and of how many states, and how many
changes go on."""
STATES, LEFT = (4, 12, SAMPLES), (8, 2, 1)
FEWEST = 8
"""Steps below which nothing is said."""
ZEROS = (np.pi / 2, -np.pi / 2, np.pi)
"""Zeros of an angle that differ, where starts say nothing."""


class Change(NamedTuple):
    """What the environment has, of what was recorded: ``x[columns] * signs - shift``."""

    kind: Kind
    sentence: str
    remedy: str
    features: tuple[int, ...]
    columns: np.ndarray
    signs: np.ndarray
    shift: np.ndarray

    def of(self, states: np.ndarray) -> np.ndarray:
        """The states, changed."""
        return np.asarray(states[..., self.columns] * self.signs - self.shift)


def find_replayed(comparison: Comparison, simulator: Simulator | None) -> list[Finding]:
    """One sentence for the change by which the recorded steps can be done again."""
    moves = comparison.recording
    if simulator is None or comparison.ignored:
        return []
    rows = _chosen(moves)
    if len(rows) < FEWEST:
        return []
    none = _change("order", moves.features)
    as_it_is = _left(simulator, moves, rows, none, ROUNDS[-1])
    if as_it_is <= FITS:
        return []
    changes = list(_changes(comparison, simulator))
    left = np.array([as_it_is])
    for rounds, states, most in zip(ROUNDS, STATES, LEFT, strict=True):
        some = rows[np.linspace(0, len(rows) - 1, min(states, len(rows))).astype(int)]
        left = np.array([_left(simulator, moves, some, change, rounds) for change in changes])
        kept = np.argsort(left, kind="stable")[:most]
        changes, left = [changes[i] for i in kept], left[kept]
    if not changes or left[0] > min(LEAST, as_it_is / BETTER):
        return []
    best = changes[0]
    said = (
        f"done again in the simulator, steps are missed by {number(float(left[0]))} of their "
        f"length so, by {number(as_it_is)} as they are"
    )
    return [Finding(best.kind, f"{best.sentence} ({said}): {best.remedy}", best.features)]


def _chosen(moves: Moves) -> np.ndarray:
    """Steps of the usual length and more, evenly: what rests says little."""
    size = np.square(moves.change / (moves.change.std(axis=0) + NOTHING)).mean(axis=1)
    moving = np.flatnonzero(size >= MOVING)
    return moving[np.linspace(0, len(moving) - 1, min(SAMPLES, len(moving))).astype(int)]


def _left(
    simulator: Simulator, moves: Moves, rows: np.ndarray, change: Change, rounds: int
) -> float:
    """What the best action leaves of a step, the median."""
    states, reached = change.of(moves.states[rows]), change.of(moves.reached[rows])
    scale = np.maximum(moves.change.std(axis=0)[change.columns], NOTHING)
    pairs = zip(states, reached, strict=True)
    return float(np.median([simulator.again(s, t, scale, rounds)[1] for s, t in pairs]))


def _changes(comparison: Comparison, simulator: Simulator) -> Iterator[Change]:
    """All changes that are tried."""
    names, size = comparison.names, comparison.recording.features
    plain = [joint for joint in simulator.joints if joint.kind not in (FREE, BALL)]
    for joint in plain:
        parts = (*joint.positions, *joint.velocities)
        said = f"'{names[parts[0]]}' has the other sign" + (", velocity too" if parts[1:] else "")
        yield _change("sign", size, said, "multiply by -1", parts, flipped=parts)
    for one, other in combinations([joint for joint in plain if joint.positions], 2):
        pairs = list(
            zip(
                (*one.positions, *one.velocities),
                (*other.positions, *other.velocities),
                strict=True,
            )
        )
        said = f"{listed(names, pairs[0])} are exchanged, velocities too"
        remedy = "put the columns in the environment's order"
        places = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
        yield _change("order", size, said, remedy, tuple(places), places=places)
    for joint in simulator.joints:
        if len(joint.quaternion) == 4:
            yield from _of_quaternion(names, joint.quaternion, size)
    yield from _of_zeros(comparison, [joint.positions[0] for joint in plain if joint.positions])


def _of_quaternion(names: tuple[str, ...], four: tuple[int, ...], size: int) -> Iterator[Change]:
    """The inverse turn, and the order x, y, z, w."""
    said = f"{listed(names, four)} turn the other way than the environment's quaternion"
    yield _change("sign", size, said, "multiply x, y and z by -1", four, flipped=four[1:])
    said = f"{listed(names, four)} are x, y, z, w where the environment has w, x, y, z"
    places = dict(zip(four, (four[3], *four[:3]), strict=True))
    yield _change("order", size, said, "put w first", four, places=places)


def _of_zeros(comparison: Comparison, positions: list[int]) -> Iterator[Change]:
    """Positions with another zero: by what starts say, else quarters of a turn."""
    own, resets = (
        np.median(m.starts, axis=0) for m in (comparison.recording, comparison.explored.moves)
    )
    size = comparison.recording.features
    by_starts = [i for i in positions if comparison.starts_outside[i] > OUTSIDE]
    shifts = [{i: float(own[i] - resets[i])} for i in by_starts]
    shifts += [{i: float(own[i] - resets[i]) for i in by_starts}] if len(by_starts) > 1 else []
    shifts += [{i: zero} for i in positions if i not in by_starts for zero in ZEROS]
    for shift in shifts:
        features, first = tuple(shift), next(iter(shift))
        words = "larger" if shift[first] > 0 else "smaller"
        verb = "is" if len(features) == 1 else "are"
        by = number(abs(shift[first])) + ("" if len(features) == 1 else " and so on")
        said = f"{listed(comparison.names, features)} {verb} {words} by {by} than the environment's"
        yield _change(
            "zero", size, f"{said}, as of another zero", "shift it", features, shift=shift
        )


def _change(
    kind: Kind,
    size: int,
    sentence: str = "",
    remedy: str = "",
    features: tuple[int, ...] = (),
    *,
    flipped: tuple[int, ...] = (),
    places: Mapping[int, int] | None = None,
    shift: Mapping[int, float] | None = None,
) -> Change:
    columns, signs, zeros = np.arange(size), np.ones(size), np.zeros(size)
    signs[list(flipped)] = -1
    for feature, place in (places or {}).items():
        columns[feature] = place
    for feature, by in (shift or {}).items():
        zeros[feature] = by
    return Change(kind, sentence, remedy, features, columns, signs, zeros)
