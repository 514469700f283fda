"""All checks of a recording against an environment; what one finding explains is said once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.episodes import find_few, find_lengths, find_starts
from depo.analysis.recordings.exploration import STEPS, Explored, explore
from depo.analysis.recordings.findings import Finding
from depo.analysis.recordings.finite import find_in_finite
from depo.analysis.recordings.motion import (
    find_boundaries,
    find_leaps,
    find_opposite,
    find_unreachable,
    find_velocities,
)
from depo.analysis.recordings.moves import Moves
from depo.analysis.recordings.named import environment_names, find_names, shown_names
from depo.analysis.recordings.order import better_order, find_order
from depo.analysis.recordings.reachable import Reach, reach
from depo.analysis.recordings.replayed import find_replayed
from depo.analysis.recordings.step_size import find_step_size, step_ratio
from depo.analysis.recordings.turns import find_turned
from depo.analysis.recordings.units import find_units, unit_factors
from depo.analysis.recordings.values import (
    find_constant,
    find_duplicates,
    find_outside,
    find_repeated,
    find_rounded,
)
from depo.analysis.simulator import Simulator
from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.environments.given import EnvironmentLike, environment_of
from depo.environments.gymnasium_environment import GymnasiumEnvironment


@dataclass(frozen=True, eq=False)
class RecordingCheck:
    """What was found, and the numbers it was found from (None for finite states)."""

    findings: tuple[Finding, ...]
    comparison: Comparison | None = None
    reach: Reach | None = None

    @property
    def fits(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for everything that does not fit."""
        return tuple(map(str, self.findings))

    def refuse(self, what: str = "the recording") -> None:
        """Raise where something is wrong."""
        if self.findings:
            more = f" (and {len(self.findings) - 1} more)" if len(self.findings) > 1 else ""
            raise DepoError(f"{what} does not fit the environment: {self.warnings[0]}{more}")

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        found = [
            {"kind": f.kind, "sentence": f.sentence, "features": list(f.features)}
            for f in self.findings
        ]
        about: dict[str, Any] = {"fits": self.fits, "findings": found}
        if self.reach is not None:
            about["comparable_steps"] = self.reach.comparable
            about["reachable_share"] = self.reach.share
        return about


def check_demonstrations(
    demos: str | Path | Demonstrations,
    env: EnvironmentLike,
    *,
    env_args: Mapping[str, Any] | None = None,
    dynamics: str = "",
    observe: str = "",
    steps: int = STEPS,
) -> RecordingCheck:
    """Compare a recording with a short random exploration of an environment.

    Says what does not fit, a sentence each: features, their order and units, the time between
    states, starts, lengths. An expert may go where random actions never do.

    >>> check_demonstrations("gridworld", "gridworld").fits
    True
    """
    if steps < 1:
        raise DepoError(f"steps {steps} is not positive: exploration takes some")
    own = demos if isinstance(demos, Demonstrations) else load_demonstrations(demos)
    environment = environment_of(env, env_args, dynamics, observe).gymnasium().plain()
    return check_in(own, environment, steps)


def check_in(
    demos: Demonstrations, environment: GymnasiumEnvironment, steps: int = STEPS
) -> RecordingCheck:
    """The same in an environment that is found already."""
    finite = environment.is_finite()
    if finite != demos.is_finite:
        kinds = {True: "finite states", False: "vectors"}
        said = f"the recording holds {kinds[demos.is_finite]}, the environment {kinds[finite]}"
        return RecordingCheck((Finding("dimension", f"{said}: record there"),))
    if finite:
        states = environment.finite_sizes().states
        explored = explore(environment, steps)
        found = find_in_finite(demos, explored, states) + find_lengths(demos, explored.limit)
        return RecordingCheck(tuple(found))
    states = len(environment.first_state())
    if demos.dimension != states:
        said = f"the recording has {demos.dimension} features, the environment {states}"
        remedy = "give the environment and the --env-args it was recorded with"
        return RecordingCheck((Finding("dimension", f"{said}: {remedy}"),))
    explored, known = explore(environment, steps), environment_names(environment, states)
    simulator = Simulator.of(environment, states)
    try:
        return compare(demos, explored, known, simulator)
    finally:
        if simulator is not None:
            simulator.close()


def compare(
    demos: Demonstrations,
    explored: Explored,
    known: Sequence[str] = (),
    simulator: Simulator | None = None,
) -> RecordingCheck:
    """A recording of vectors beside an exploration; ``known`` is what the environment calls them,
    ``simulator`` one that can be put into its states.

    One mistake is one sentence: of columns in another order nothing else is said, and after units
    the recording is read as it would be in the right ones.
    """
    names = shown_names(demos, known)
    comparison = Comparison(Moves.of(demos), explored, names)
    found = find_names(demos.feature_names, known)
    if few := find_few(demos):
        return RecordingCheck((*found, *few), comparison)
    spoilt = find_constant(comparison) + find_duplicates(comparison)
    found += spoilt + find_repeated(comparison)
    comparison = comparison.without({i for finding in spoilt for i in finding.features})
    comparison = comparison.without_held_steps()
    rounded = find_rounded(comparison)
    found += rounded
    comparison = comparison.without({feature for own in rounded for feature in own.features})
    if opposite := find_opposite(comparison):
        return RecordingCheck((*found, *opposite), comparison)
    columns = better_order(comparison)
    if columns is not None:
        return RecordingCheck((*found, *find_order(comparison, columns)), comparison)
    factors = unit_factors(comparison)
    corrected = comparison.corrected(factors=1.0 / factors)
    step, reached = step_ratio(corrected), reach(corrected.recording, explored)
    if step == 1.0 and (replayed := find_replayed(corrected, simulator)):
        found += find_units(comparison, factors) + replayed
        return RecordingCheck(tuple(found), comparison, reached)
    found += find_units(comparison, factors) + find_step_size(corrected)
    turned = find_turned(corrected)
    known_wrong = {feature for own in turned for feature in own.features}
    outside = find_outside(demos, corrected, factors)
    found += turned + [own for own in outside if not known_wrong & {*own.features}]
    found += find_starts(demos, corrected) + find_lengths(demos, explored.limit, step)
    if step == 1.0:
        found += find_velocities(corrected) + find_leaps(corrected)
        found += [] if found else find_boundaries(demos, corrected)
        found += [] if found else find_unreachable(reached)
    return RecordingCheck(tuple(found), comparison, reached)
