"""The yardstick of an environment: what a random policy scores, and what the expert does.

The random policy is played once on a machine and kept beside the compiled programs; the expert is
the mean of the recording's own returns, or what its transitions earn when they are done again in a
simulator that can be put into their states. Nothing here changes a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from depo.core.codec import Positive, decode, encode
from depo.core.errors import DepoError
from depo.core.files import json_digest
from depo.core.formats import Format
from depo.core.metrics import main_metric
from depo.core.runtime import cache_folder
from depo.environments.family import EnvironmentSettings, family_of
from depo.environments.names import is_given
from depo.evaluation.statistics import relative_score
from depo.methods.registry import OFF_POLICY
from depo.runs.job import Job
from depo.runs.made_with import versions
from depo.runs.run import Run

EPISODES = 20
"""Episodes of the random policy."""
OCCUPANCY = "occupancy.json"
"""Among a run's figures: how close it comes to the recording, where that was measured."""
FORMAT = Format("yardstick")
DEPENDS_ON = ("depo", "gymnasium", "mujoco", "numpy")
"""Packages of which another version may score otherwise."""


@dataclass(frozen=True)
class Yardstick:
    """Scores of the random policy and of the expert by metric, where they are known."""

    random: Mapping[str, float] = field(default_factory=dict)
    expert: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    """Why the random policy is missing; empty: it is not, or nothing would compare with it."""
    replayed: str = ""
    """How the expert's return was found, where the recording does not say it."""

    def relative(self, metric: str, value: float) -> float:
        """A score between random (0) and expert (1); NaN where that is not known, or the expert is
        no better than random.

        >>> Yardstick({"return": -1200.0}, {"return": -200.0}).relative("return", -700.0)
        0.5
        """
        random, expert = self.random.get(metric, math.nan), self.expert.get(metric, math.nan)
        return relative_score(value, random, expert) if expert > random else math.nan

    def text(self, metric: str, digits: str = ",.4g") -> str:
        """Both ends in words, for the end of a table; empty: none is known.

        >>> Yardstick({"return": 5.0}, {"return": 1000.0}).text("return")
        'random 5, expert 1,000'
        """
        ends = {"random": self.random.get(metric), "expert": self.expert.get(metric)}
        return ", ".join(f"{n} {x:{digits}}" for n, x in ends.items() if x is not None)


@dataclass(frozen=True)
class Kept:
    """What is kept of an environment, or of a recording in it."""

    environment: str
    """Its label, for people."""
    measured: Mapping[str, object]
    """What was measured: settings of the environment, versions, episodes."""
    scores: Mapping[str, float]
    episodes: Positive = EPISODES


def yardstick_of(run: Run, *, measure: bool = True) -> Yardstick:
    """The yardstick of a run. Where the random policy is not known on this machine it is played,
    if ``measure``; what cannot be played is noted, and nothing is refused."""
    try:
        random, note = random_scores(run, measure=measure), ""
    except DepoError as error:
        random, note = {}, str(error)
    expert = _expert_scores(run)
    if "return" in expert or run.job.learner != OFF_POLICY:
        return Yardstick(random, expert, note)
    found, told = _replayed(run, measure)
    return Yardstick(random, expert | found, note, told)


def random_scores(run: Run, *, measure: bool = True) -> dict[str, float]:
    """What acting at random scores in a run's environment; of co-trained variants, the mean."""
    each = [_random_in(run, where, measure) for where in _environments(run.job)]
    shared = [name for name in each[0] if all(name in other for other in each)]
    return {name: sum(own[name] for own in each) / len(each) for name in shared}


def yardstick_file(environment: EnvironmentSettings) -> Path:
    """Where an environment's random policy is kept."""
    return _file(_measured(environment))


def _file(measured: Mapping[str, object]) -> Path:
    return cache_folder() / "yardsticks" / f"{json_digest(measured)}.json"


def known_score(rows: Iterable[Mapping[str, float]]) -> str:
    """The metric a run is watched by, as its rows have it; 'return' where there are none."""
    first = next(iter(rows), None)
    score = main_metric(first) if first else None
    return score.name if score else "return"


def lacks_returns(run: Run) -> bool:
    """Whether no return says how close a run comes to its recording, though occupancies can: states
    are vectors, and the recording's returns are unknown or all zero."""
    demos = run.demonstrations() if run.job.learner == OFF_POLICY else None
    if demos is None:
        return False
    return demos.episode_returns is None or not demos.episode_returns.any()


def _environments(job: Job) -> list[EnvironmentSettings]:
    return [job.environment.variant(name) for name in job.variants] or [job.environment]


def _expert_scores(run: Run) -> dict[str, float]:
    """Of the run's own copy of the recordings; a transfer has none, its environment may."""
    own = family_of(run.job.environment)
    with contextlib.suppress(DepoError):
        demos = run.demonstrations()
        if demos is None and not run.wants:
            demos = own.demonstrations(run.job.environment)
        return {} if demos is None else own.expert_scores(run.job.environment, demos)
    return {}


def _replayed(run: Run, measure: bool) -> tuple[dict[str, float], str]:
    """The expert's return by its transitions, done again in the environment as it was recorded in,
    and how it is known; nothing where that simulator cannot be put into recorded states."""
    from depo.analysis.replayed_return import ReplayedReturn, recorded_in, replayed_return

    with contextlib.suppress(DepoError):
        demos = run.demonstrations()
        where = recorded_in(run.job.first_environment.gymnasium())
        if demos is None or where is None:
            return {}, ""
        recording = hashlib.sha256(np.ascontiguousarray(demos.observations).data).hexdigest()
        measured = {"recording": recording, "id": where.id, "arguments": where.arguments}
        measured |= {"versions": _versions()}
        kept = _read(measured)
        if kept is None and measure:
            run.check_imports()
            if (found := replayed_return(where, demos)) is None:
                return {}, ""
            scores = {"mean": found.mean, "reached": found.reached}
            kept = Kept(run.job.environment.label, measured, scores, found.samples)
            _keep(kept)
        if kept is not None:
            known = ReplayedReturn(kept.scores["mean"], kept.scores["reached"], kept.episodes)
            return ({"return": known.mean} if known.is_believed else {}), known.told()
    return {}, ""


def _random_in(run: Run, environment: EnvironmentSettings, measure: bool) -> dict[str, float]:
    measured = _measured(environment)
    kept = None if is_given(environment.id) else _read(measured)
    if kept is not None:
        return dict(kept.scores)
    if not measure:
        raise DepoError(
            f"the random policy was not played in {environment.label} yet: 'depo evaluate "
            f"{run.path}' does"
        )
    run.check_imports()
    scores = family_of(environment).random_scores(environment, EPISODES)
    if not is_given(environment.id):
        _keep(Kept(environment.label, measured, scores))
    return scores


def _measured(environment: EnvironmentSettings) -> dict[str, object]:
    about = {"environment": environment.to_json(), "versions": _versions()}
    return about | {"episodes": EPISODES}


def _versions() -> dict[str, str]:
    found = versions()
    return {name: found[name] for name in DEPENDS_ON}


def _read(measured: Mapping[str, object]) -> Kept | None:
    """What is kept; None: nothing, or nothing that can be read, so that it is measured anew."""
    with contextlib.suppress(DepoError, OSError):  # of which no home folder is one
        path = _file(measured)
        kept = decode(Kept, FORMAT.read(path), str(path))
        if json_digest(kept.measured) == json_digest(encode(measured)):
            return kept
    return None


def _keep(kept: Kept) -> None:
    with contextlib.suppress(DepoError, OSError):  # a read-only home costs time, nothing else
        FORMAT.write(_file(kept.measured), encode(kept))
