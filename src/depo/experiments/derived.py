"""What is read like a run without being one: several runs as one, and who learns nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from depo.evaluation.statistics import mean_scores
from depo.runs.run import Run


@dataclass(frozen=True)
class Together(Run):
    """Separate runs of one method, a type each: steps are summed, scores are means over types."""

    parts: Mapping[str, Run] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Mapping[str, Run]) -> Together:
        """These runs by type; seeds that not all of them have are left out."""
        first = next(iter(parts.values()))
        seeds = [
            seed for seed in first.job.seeds if all(seed in p.job.seeds for p in parts.values())
        ]
        return cls(first.path, replace(first.job, seeds=tuple(seeds)), parts)

    def metrics(self) -> list[dict[str, float]]:
        """A row for each seed and evaluation that all of them have."""
        indexed = {kind: _by_evaluation(part) for kind, part in self.parts.items()}
        first, *rest = indexed.values()
        return [
            mean_scores({kind: rows[key] for kind, rows in indexed.items()})
            | {
                "seed": key[0],
                "env_steps": sum(rows[key]["env_steps"] for rows in indexed.values()),
            }
            for key in first
            if all(key in other for other in rest)
        ]

    def seconds(self) -> float:
        """Time spent learning, of all together."""
        return sum(part.seconds() for part in self.parts.values())


@dataclass(frozen=True)
class Scored(Run):
    """Somebody who learns nothing, of whom there are scores only."""

    scores: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def beside(cls, run: Run, scores: Mapping[str, float]) -> Scored:
        """In the environment of a run."""
        return cls(run.path, replace(run.job, seeds=(0,)), scores)

    def metrics(self) -> list[dict[str, float]]:
        """The one row there is."""
        return [{"seed": 0, "env_steps": 0, **self.scores}]

    def seconds(self) -> float:
        """None: nothing is learned."""
        return 0.0


def _by_evaluation(run: Run) -> dict[tuple[int, int], dict[str, float]]:
    """Rows by seed and number of the evaluation."""
    rows: dict[tuple[int, int], dict[str, float]] = {}
    seen: dict[int, int] = {}
    for row in run.metrics():
        seed = int(row["seed"])
        number = seen.get(seed, 0)
        rows[seed, number] = row
        seen[seed] = number + 1
    return rows
