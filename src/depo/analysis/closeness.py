"""How close a run's policies come to the recording, where no reward says it.

The result is kept in RUN/figures, for reports, with the steps that it belongs to.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from depo.analysis.evaluate import gymnasium_of, load_policies, under
from depo.analysis.yardstick import OCCUPANCY
from depo.core.codec import Natural, decode, encode
from depo.core.errors import DepoError
from depo.core.formats import Format
from depo.data.demonstrations import Demonstrations
from depo.evaluation.occupancy_distance import OccupancyDistance, occupancy_distance
from depo.evaluation.vector_rollouts import Player
from depo.methods.registry import OFF_POLICY
from depo.runs.demonstrations import draw_demonstrations
from depo.runs.run import FIGURES, Run

FORMAT = Format("occupancy distance")


@dataclass(frozen=True)
class Closeness:
    """The occupancy distance of one seed's policy from the recording."""

    seed: Natural
    held_out: bool
    """Whether the episodes it is compared with are none that it learned from."""
    distance: OccupancyDistance

    def told(self) -> str:
        """In one sentence.

        >>> alike = OccupancyDistance(0.52, 0.47, 0.58, ("x",), (0.1,), (0.08,), 10, 6)
        >>> Closeness(0, True, alike).told()
        'told apart in 52% of transitions (47 to 58%): not distinguishable from the recording'
        """
        own = self.distance
        found = "not distinguishable from" if own.low <= 0.5 else "distinguishable from"
        return (
            f"told apart in {own.accuracy:.0%} of transitions ({100 * own.low:.0f} to "
            f"{own.high:.0%}): {found} the recording"
        )


@dataclass(frozen=True)
class _Kept:
    env_steps: Natural
    closeness: tuple[Closeness, ...]


def closeness(run: Run, *, episodes: int = 10, dynamics: str | None = None) -> list[Closeness]:
    """Play every seed's policy and compare where it goes with recorded episodes: those that the
    seed did not learn from, if there are any."""
    demos = run.demonstrations()
    if run.job.learner != OFF_POLICY:
        raise DepoError(f"{run.path} is on finite states: its occupancy is exact, see 'divergence'")
    if demos is None:
        raise DepoError(f"{run.path} has no recording to compare with")
    run.check_imports()
    job = run.job if dynamics is None else under(run.job, dynamics)
    environment = gymnasium_of(job)
    own = environment.plain().vector_sizes().states
    found = []
    for seed, policy in zip(run.job.seeds, load_policies(run), strict=True):
        player = Player(environment, seed, episodes)
        try:
            played = player.play(policy)
        finally:
            player.close()
        agent = [played.states(i)[:, :own] for i in range(episodes)]
        expert, held_out = _expert(run, demos, seed)
        distance = occupancy_distance(agent, list(expert), demos.feature_names)
        found.append(Closeness(seed, held_out, distance))
    if dynamics is None:
        keep(run, found)
    return found


def kept_closeness(run: Run) -> list[Closeness]:
    """What was measured of a run as it is now; empty: nothing."""
    path = _file(run)
    if not path.is_file():
        return []
    kept = decode(_Kept, FORMAT.read(path), str(path))
    return list(kept.closeness) if kept.env_steps == run.steps_done() else []


def keep(run: Run, found: list[Closeness]) -> None:
    """Beside the run's figures; a folder that cannot be written stays as it is."""
    with contextlib.suppress(DepoError, OSError):
        FORMAT.write(_file(run), encode(_Kept(run.steps_done(), tuple(found))))


def _file(run: Run) -> Path:
    return run.path / FIGURES / OCCUPANCY


def _expert(run: Run, demos: Demonstrations, seed: int) -> tuple[Demonstrations, bool]:
    part = getattr(run.job.settings, "demos", None)
    if part is None:  # nothing was learned from them
        return demos, True
    rest = draw_demonstrations(demos, part.episodes, seed).held_out
    return (demos, False) if rest is None else (rest, True)
