"""What is read like a run without being one: several runs as one, who learns nothing, and runs
known by their results alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from depo.analysis.results import read_rows, read_verdict
from depo.core.files import json_digest
from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.environments.family import family_of
from depo.evaluation.statistics import mean_scores
from depo.methods.registry import ON_POLICY
from depo.runs.job import Job
from depo.runs.migrations import to_format_1
from depo.runs.run import Run

SECONDS, DIGESTS = "runtime_seconds", "settings_digest"
"""What verdict.json says of every run."""
YOUNGER = {"epsilon_decay": 1.0, "epsilon_every": 10_000}
"""Settings that only transfers had at first, by their defaults: older results are the same."""
YOUNGEST = {
    "vary": "",
    "quiet": 0.0,
    "end_cost": 1.0,
    "reward_spread": 0.0,
    "smooth_bounds": False,
    "step_units": False,
    "wide_units": False,
    "value_unit": "reward",
    "calibration_loss": "likelihood",
    "skill_start": "fresh",
}
"""Settings that nobody had."""
NEWEST_ON_POLICY = {
    "skill_wanted": 0.0,
    "planner_clip": 0.0,
    "calibration_weight": "shifted",
    "supervision_noise": 0.0,
}
"""The same on finite states."""
PUBLISHED = "v0.1"
"""The preset that was called fast when results were published."""


@dataclass(frozen=True)
class Together(Run):
    """Separate runs of one method, a variant each: steps are summed, scores are means."""

    parts: Mapping[str, Run] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Mapping[str, Run]) -> Together:
        """These runs by variant; seeds that not all of them have are left out."""
        first = next(iter(parts.values()))
        seeds = [
            seed for seed in first.job.seeds if all(seed in p.job.seeds for p in parts.values())
        ]
        return cls(first.path, replace(first.job, seeds=tuple(seeds)), parts)

    def metrics(self) -> list[dict[str, float]]:
        """A row for each seed and evaluation that all of them have."""
        indexed = {variant: _by_evaluation(part) for variant, part in self.parts.items()}
        first, *rest = indexed.values()
        return [
            mean_scores({variant: rows[key] for variant, rows in indexed.items()})
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


@dataclass(frozen=True)
class Kept(Run):
    """A run of which only the results are here: it was made on another machine, or removed."""

    rows: Sequence[Mapping[str, float]] = ()
    spent: float = 0.0
    digest: str = ""
    """Of the settings it had; empty: not known, from before that was written down."""

    def metrics(self) -> list[dict[str, float]]:
        """What results.csv had of them."""
        return [dict(row) for row in self.rows]

    def seconds(self) -> float:
        """Time it took where it was made."""
        return self.spent

    def demonstrations(self) -> Demonstrations | None:
        """Those its job names; the run's own copy is not here."""
        return load_demonstrations(self.job.demos) if self.job.demos else None


def kept_results(out: Path, jobs: Mapping[str, Job]) -> tuple[dict[str, Run], set[str]]:
    """The runs whose results a folder has to their last step, with all the seeds of these jobs;
    and the labels of all others it has results of."""
    rows, _ = read_rows(out, "remove it, or leave out --keep")
    said = read_verdict(out)
    kept: dict[str, Run] = {}
    for label, job in jobs.items():
        own = {key: row for key, row in rows.get(label, {}).items() if key[1] in job.seeds}
        last = job.total_steps
        digest = said.settings_digest.get(label, "")
        same = digest in ("", settings_digest(job))
        if same and all((last, seed) in own for seed in job.seeds):
            seconds = said.runtime_seconds.get(label, 0.0)
            kept[label] = Kept(out, job, [own[key] for key in sorted(own)], seconds, digest)
    return kept, set(rows) - set(kept)


def settings_digest(run: Job | Run) -> str:
    """What the numbers of a run depend on besides its seeds and demonstrations, in short.

    Results may be kept from another machine, where files are in other folders.
    """
    if isinstance(run, Kept):
        return run.digest
    job = run.job if isinstance(run, Run) else run
    elsewhere = ("seeds", "demos", "planner", "reward_from")
    data = {k: v for k, v in description(job).items() if k not in elsewhere}
    arguments = dict(data["environment"]["arguments"])
    for name, value in arguments.items():
        if value in family_of(job.environment).files(job.environment):
            arguments[name] = Path(value).stem
    data["environment"] = data["environment"] | {"arguments": arguments}
    return json_digest(data)


def description(job: Job) -> dict[str, Any]:
    """A job as format 1 said it: what digests are made of, so that kept results stay valid."""
    data = job.to_json()
    young = YOUNGEST if job.spec.takes_planner else YOUNGER | YOUNGEST
    young = young | NEWEST_ON_POLICY if job.learner == ON_POLICY else young
    for name, default in young.items():
        if data["settings"].get(name) == default:
            del data["settings"][name]
    if data["settings"].get("value_unit") == "deviation":
        del data["settings"]["value_unit"]
        data["settings"]["value_scale"] = True
    data["preset"] = "fast" if job.preset == PUBLISHED else job.preset
    data["environment"] = to_format_1(job.environment)
    data["skill"] = job.skill.replace("depo.driving.", "depo.environments.driving.")
    if job.variants:
        data["types"] = data.pop("variants")
    return data


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
