"""The rows of metrics.csv: scores of every seed beside the metrics of its updates, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from depo.core.errors import DepoError
from depo.core.metrics import find_metric
from depo.core.weights import digest
from depo.models.folder import load_planner
from depo.models.policy import DecoupledPolicy
from depo.runs.job import Job
from depo.runs.planners import return_before, source_folder
from depo.runs.problem import Problem
from depo.runs.run import Run

SUCCESS = "success"


class ScoreHistory:
    """What the loop needs of metrics.csv, kept beside it: the last row and the best of each seed.

    >>> history = ScoreHistory("success", [{"seed": 0, "env_steps": 64, "success": 0.5}])
    >>> history.add([{"seed": 0, "env_steps": 128, "success": 0.4}])
    >>> history.best_now(), history.last[0]["success"]
    (set(), 0.4)
    """

    def __init__(self, chosen_by: str, rows: Sequence[Mapping[str, Any]]):
        self.last: dict[int, dict[str, float]] = {}
        self._chosen_by = chosen_by
        self._values: dict[int, list[float]] = {}
        self.add(rows)

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """New rows, as they read back from the file."""
        for row in rows:
            seed, own = int(row["seed"]), {name: float(str(v)) for name, v in row.items()}
            self.last[seed] = own
            if self._chosen_by:
                self._values.setdefault(seed, []).append(own[self._chosen_by])

    def check_columns(self, row: Mapping[str, Any]) -> None:
        """Refuse a row of other columns than those before it in metrics.csv."""
        before = next(iter(self.last.values()), row)
        if differs := row.keys() ^ before.keys():
            name = min(differs)
            raise DepoError(
                f"the metric '{name}' is {'new' if name in row else 'missing'} at this evaluation: "
                "whoever scores or learns has to give the same ones every time, NaN for none"
            )

    def best_now(self) -> set[int]:
        """The seeds whose last evaluation is better than every one before; none without a score
        to choose by."""
        better = find_metric(self._chosen_by).is_better
        return {
            seed
            for seed, own in self._values.items()
            if all(better(own[-1], before) for before in own[:-1])
        }


def check_metric_names(
    job: Job, scores: list[dict[str, float]], metrics: Mapping[str, np.ndarray]
) -> None:
    """Refuse what an update calls by a name of a score."""
    for name in metrics:
        if name in ("seed", "env_steps") or name in scores[0]:
            raise DepoError(
                f"method '{job.method}' calls a metric of its update '{name}', which is a score's "
                "or a row's name: give it another"
            )


def check_finite(seed: int, scores: dict[str, float], steps: int) -> None:
    """Refuse a score that is not finite, unless the catalogue says that it may be NaN."""
    never_nan = {name: value for name, value in scores.items() if not find_metric(name).nan}
    broken = [name for name, value in never_nan.items() if not np.isfinite(value)]
    if broken:
        raise DepoError(
            f"seed {seed}: {broken[0]} is {scores[broken[0]]} at {steps:,} steps: "
            "training diverged, lower the learning rates"
        )


def tell_success(
    scores: Sequence[dict[str, float]], before: Mapping[int, Mapping[str, float]]
) -> None:
    """In all rows of a run or in none, as its first ones decide: some environments report success
    only where there is one.

    >>> rows = [{"return": 1.0}, {"return": 2.0, "success": 1.0}]
    >>> tell_success(rows, {})
    >>> rows[0]["success"]
    0.0
    >>> tell_success(rows, {0: {"return": 1.0}})
    >>> rows
    [{'return': 1.0}, {'return': 2.0}]
    """
    rows: Sequence[Mapping[str, float]] = list(before.values()) or scores
    told = any(SUCCESS in row for row in rows)
    for own in scores:
        if told:
            own.setdefault(SUCCESS, 0.0)
        else:
            own.pop(SUCCESS, None)


def compare_planners(
    run: Run, problem: Problem, state: Any, scores: list[dict[str, float]]
) -> None:
    """Add whether every seed's planner is still, bit for bit, the one the transfer began with,
    and the share of its return before that is reached now: NaN for a seed where that says nothing,
    no column where it does for none."""
    before = [return_before(run, seed) for seed in run.job.seeds]
    comparable = any(value is not None for value in before) and "return" in scores[0]
    for i, seed in enumerate(run.job.seeds):
        folder = source_folder(run) / f"seed-{seed}"
        policy = problem.learner.policy(state, i)
        assert isinstance(policy, DecoupledPolicy)
        same = digest(policy.planner) == digest(load_planner(folder))
        scores[i]["planner_unchanged"] = float(same)
        if comparable:
            scores[i]["return_kept"] = scores[i]["return"] / (before[i] or np.nan)


def rows_of(
    job: Job, block: int, scores: list[dict[str, float]], metrics: dict[str, np.ndarray]
) -> list[dict[str, Any]]:
    """One row for each seed; floats as the shortest text that reads back the same."""
    rows = []
    for i, seed in enumerate(job.seeds):
        row: dict[str, Any] = {"seed": seed, "env_steps": job.steps_at(block)}
        row |= scores[i]
        row |= {name: float(value[i]) for name, value in sorted(metrics.items())}
        rows.append(row)
    return rows
