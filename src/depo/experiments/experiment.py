"""An experiment: a grid of runs, then a figure, a table, results and a verdict."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure

from depo.analysis.results import RESULTS, VERDICT
from depo.core.errors import DepoError, unknown
from depo.core.files import write_bytes, write_json
from depo.core.metrics import EXPERIMENTS, number_text, shown_in
from depo.evaluation.statistics import STATISTICS, interval
from depo.experiments.claims import described, final_values, metrics_in, read_claims, verdict
from depo.experiments.derived import (
    DIGESTS,
    SECONDS,
    Scored,
    Together,
    kept_results,
    settings_digest,
)
from depo.experiments.engines import Engine
from depo.experiments.sweep import PlannedRun, Sweep, warn
from depo.plotting.figures import save_figure
from depo.runs.run import Run

Scale = Literal["smoke", "laptop", "bench", "paper"]
Plan = dict[str, PlannedRun]


@dataclass(frozen=True)
class ScaleSettings:
    """What a scale means: on the grid in numbers, elsewhere by its name."""

    name: str
    steps: int
    transfer_steps: int
    grid_seeds: int
    seeds: int = 0
    """How many seeds; 0: the scale's own."""
    preset: str = "fast"
    demos_dir: str = ""
    """Demonstrations by task name instead of the shipped ones."""
    reference: str = ""
    """A CSV of other people's curves."""
    recording: str = ""
    """Driving: a scene instead of the one that ships. Claims are about that one only."""
    only: tuple[str, ...] = ()
    """The runs that are asked for; none: all. A plan need not look for what others would need."""

    @property
    def published_preset(self) -> str:
        """What results on vectors were published with, and their claims are about: version 0.1's
        fast, until they are made anew with the recipe."""
        return "v0.1" if self.preset == "fast" else self.preset


SCALES: dict[str, ScaleSettings] = {
    "smoke": ScaleSettings("smoke", 640, 384, 2),
    "laptop": ScaleSettings("laptop", 12_800, 3_840, 5),
    "bench": ScaleSettings("bench", 12_800, 6_400, 10),
    "paper": ScaleSettings("paper", 12_928, 12_928, 5, preset="paper"),
}


@dataclass(frozen=True)
class Experiment:
    """A figure or table of the paper, or a control beside it."""

    name: str
    summary: str
    plan: Callable[[ScaleSettings], Plan]
    draw: Callable[[Mapping[str, Run], ScaleSettings], Figure | Mapping[str, Figure]]
    """One figure, or several by what is added to the experiment's name."""
    columns: tuple[str, ...]
    """Metrics of the Markdown table."""
    more: Callable[[Mapping[str, Run]], str] = lambda _: ""
    """Another Markdown table, between that and the verdict."""
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Label: the runs (by variant) that are read together as one."""
    scored: Mapping[str, Callable[[ScaleSettings], Mapping[str, float]]] = field(
        default_factory=dict
    )
    """Label: the scores of somebody who learns nothing."""

    def reproduce(
        self,
        *,
        scale: ScaleSettings,
        out: Path,
        runs_folder: Path,
        workers: int,
        engine: Engine,
        watch: Callable[[str, int, int], None],
        only: Sequence[str] = (),
        keep: bool = False,
        say: Callable[[str], None] = warn,
    ) -> dict[str, Any]:
        """Do the runs that are not done, then write everything; returns verdict and figures.

        ``only`` leaves out all runs but these and the planners they need; claims about others are
        not judged. With ``keep`` results that ``out`` has already stay, and runs that are not named
        in ``only`` are not done again for them, though their folders may be gone.
        """
        plan, kept, sweep = self.prepare(
            scale=scale, out=out, runs_folder=runs_folder, only=only, keep=keep
        )
        sweep.execute(workers=workers, engine=engine, watch=watch, say=say)
        known = kept | sweep.runs()
        learned = {label: known[label] for label in plan if label in known}
        runs = self.beside(learned, scale) | learned
        out.mkdir(parents=True, exist_ok=True)
        drawn = self.draw(runs, scale)
        figures = {"": drawn} if isinstance(drawn, Figure) else drawn
        saved = [
            save_figure(figure, out / "-".join(filter(None, [self.name, part])))
            for part, figure in figures.items()
        ]
        write_bytes(out / RESULTS, results_csv(runs, self.columns).encode())
        judged = verdict(self.name, {} if scale.recording else runs)
        table = markdown_table(runs, self.columns) + "\n" + self.more(runs)
        table += markdown_verdict(judged)
        write_bytes(out / "table.md", table.encode())
        judged[SECONDS] = {label: seconds(run) for label, run in learned.items()}
        judged[DIGESTS] = {x: digest for x in learned if (digest := settings_digest(learned[x]))}
        write_json(out / VERDICT, judged)
        return judged | {"figures": [str(path) for path in saved]}

    def prepare(
        self,
        *,
        scale: ScaleSettings,
        out: Path,
        runs_folder: Path,
        only: Sequence[str] = (),
        keep: bool = False,
    ) -> tuple[Plan, dict[str, Run], Sweep]:
        """The whole plan, the results that are kept, and the runs that are needed; does nothing."""
        read_claims(self.name)  # a mistake in them is better known before hours of training
        plan = self.plan(replace(scale, only=() if keep else tuple(only)))
        if not plan:
            raise DepoError(
                f"{scale.demos_dir} has no recording for any task of {self.name}: name files by "
                "their task, as hopper.npz"
            )
        for label in only:
            if label not in plan:
                raise unknown(f"run of {self.name}", label, plan)
        kept = self._kept(out, plan, only) if keep else {}
        todo = only or [label for label in plan if label not in kept]
        needed = {*todo, *(plan[label].after for label in todo)}
        sweep = Sweep(runs_folder, {label: plan[label] for label in plan if label in needed})
        return plan, kept, sweep

    def _kept(self, out: Path, plan: Plan, again: Sequence[str]) -> dict[str, Run]:
        """The runs whose results are there; refuses to write over those of other jobs, but for the
        labels that are done again."""
        kept, others = kept_results(out, {label: planned.job for label, planned in plan.items()})
        if others := others - {*self.groups, *self.scored, *again}:
            raise DepoError(
                f"{out / RESULTS} has results of {', '.join(sorted(others))} that are not what is "
                "asked for (another scale, other settings, fewer seeds, no recording of the task, "
                "or unfinished): they would be lost, so give another --out or leave out --keep"
            )
        return kept

    def beside(self, runs: Mapping[str, Run], scale: ScaleSettings) -> dict[str, Run]:
        """What is read like a run: who learns nothing, and runs together, if all are there."""
        first = next(iter(runs.values()))
        beside: dict[str, Run] = {
            label: Scored.beside(first, of(scale)) for label, of in self.scored.items()
        }
        for label, parts in self.groups.items():
            if set(parts.values()) <= set(runs):
                beside[label] = Together.of(
                    {variant: runs[name] for variant, name in parts.items()}
                )
        return beside


def results_csv(runs: Mapping[str, Run], columns: tuple[str, ...] = ()) -> str:
    """Long format: method, environment, seed, env_steps, metric, value.

    Every metric that the catalogue shows in experiments, and those of the table's columns.
    """
    asked = [name for column in columns for name in metrics_in(column)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", "environment", "seed", "env_steps", "metric", "value"])
    for label, run in runs.items():
        environment = run.job.environment.label
        for row in run.metrics():
            head = [label, environment, int(row["seed"]), int(row["env_steps"])]
            names = [metric.name for metric in shown_in(EXPERIMENTS, row)]
            names += [name for name in asked if name in row and name not in names]
            for name in names:
                writer.writerow([*head, name, f"{row[name]:.5g}"])
    return text.getvalue()


def markdown_table(runs: Mapping[str, Run], columns: tuple[str, ...]) -> str:
    """Interquartile means with 95% intervals; every seed where there are fewer than five."""
    head = ["run", "seeds", *(described(name).title for name in columns), "seconds"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for label, run in runs.items():
        cells = [summarise(run, name) for name in columns]
        seeds = str(len(run.job.seeds))
        spent = f"{seconds(run):.0f}" if seconds(run) else "–"  # nobody learned, or not known
        lines.append("| " + " | ".join([label, seeds, *cells, spent]) + " |")
    return "\n".join(lines) + "\n"


def seconds(run: Run) -> float:
    """Time spent learning, as it is written down."""
    return round(run.seconds(), 1)


def markdown_verdict(judged: Mapping[str, Any]) -> str:
    """The claims as a table."""
    lines = ["| claim | expected | measured | 95% interval | holds |", "|" + " --- |" * 5]
    for entry in judged["claims"]:
        bounds = entry["interval"]
        span = "–" if bounds is None else f"{bounds[0]} to {bounds[1]}"
        cells = [entry["claim"], f"`{entry['expected']}`", str(entry["measured"]), span]
        holds = "open" if entry["holds"] is None else "yes" if entry["holds"] else "**no**"
        lines.append("| " + " | ".join([*cells, holds]) + " |")
    return "\n".join(lines) + "\n"


def summarise(run: Run, metric: str) -> str:
    """One cell: IQM [interval], or the seeds themselves."""
    if metrics_in(metric)[0] not in run.final_scores()[0]:
        return "–"
    statistic = "median" if metric.startswith("steps_to_") else "iqm"
    return seeds_text(final_values(run, metric), statistic, described(metric).decimals)


def seeds_text(values: np.ndarray, statistic: str, digits: int) -> str:
    """A statistic with its interval, or the seeds themselves where they are few."""
    middle, bounds = float(STATISTICS[statistic](values)), interval(values, statistic)
    if bounds is None:
        return ", ".join(_number(x, digits) for x in values)
    return f"{_number(middle, digits)} [{_number(bounds[0], digits)}, {_number(bounds[1], digits)}]"


def _number(x: float, digits: int) -> str:
    return "never" if np.isinf(x) else number_text(x, digits)
