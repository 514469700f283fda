"""An experiment: a grid of runs, then a figure, a table, results and a verdict."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure

from depo.evaluation.statistics import interval, iqm
from depo.experiments.claims import final_values, verdict
from depo.experiments.sweep import Engine, Planned, Sweep
from depo.files import write_bytes, write_json
from depo.report.figures import save_figure
from depo.runs.run import Run

Scale = Literal["smoke", "laptop", "bench", "paper"]
Plan = dict[str, Planned]
SCORES = (
    "success",
    "success_greedy",
    "divergence",
    "divergence_greedy",
    "divergence_all_starts",
    "legal_demonstrated",
    "legal_undemonstrated",
    "legal_moving_demonstrated",
    "legal_moving_undemonstrated",
)


@dataclass(frozen=True)
class ScaleSettings:
    """What a scale means on the grid."""

    steps: int
    transfer_steps: int
    seeds: int
    preset: str = "fast"


SCALES: dict[str, ScaleSettings] = {
    "smoke": ScaleSettings(steps=640, transfer_steps=384, seeds=2),
    "laptop": ScaleSettings(steps=12_800, transfer_steps=3_840, seeds=5),
    "bench": ScaleSettings(steps=12_800, transfer_steps=6_400, seeds=10),
    "paper": ScaleSettings(steps=12_928, transfer_steps=12_928, seeds=5, preset="paper"),
}


@dataclass(frozen=True)
class Experiment:
    """A figure or table of the paper, or a control beside it."""

    name: str
    summary: str
    plan: Callable[[ScaleSettings], Plan]
    draw: Callable[[Mapping[str, Run]], Figure]
    columns: tuple[str, ...]
    """Metrics of the Markdown table."""

    def reproduce(
        self,
        *,
        scale: ScaleSettings,
        out: Path,
        runs_folder: Path,
        workers: int,
        engine: Engine,
        watch: Callable[[str, int, int], None],
    ) -> dict[str, Any]:
        """Do the runs that are not done, then write everything; returns the verdict."""
        sweep = Sweep(runs_folder, self.plan(scale))
        sweep.execute(workers=workers, engine=engine, watch=watch)
        runs = sweep.runs()
        out.mkdir(parents=True, exist_ok=True)
        save_figure(self.draw(runs), out / self.name)
        write_bytes(out / "results.csv", results_csv(runs).encode())
        judged = verdict(self.name, runs)
        table = markdown_table(runs, self.columns) + "\n" + markdown_verdict(judged)
        write_bytes(out / "table.md", table.encode())
        judged["runtime_seconds"] = {label: round(run.seconds(), 1) for label, run in runs.items()}
        write_json(out / "verdict.json", judged)
        return judged


def results_csv(runs: Mapping[str, Run]) -> str:
    """Long format: method, environment, seed, env_steps, metric, value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", "environment", "seed", "env_steps", "metric", "value"])
    for label, run in runs.items():
        environment = run.job.environment.label
        for row in run.metrics():
            for name in SCORES:
                if name in row:
                    head = [label, environment, int(row["seed"]), int(row["env_steps"])]
                    writer.writerow([*head, name, f"{row[name]:.5g}"])
    return text.getvalue()


def markdown_table(runs: Mapping[str, Run], columns: tuple[str, ...]) -> str:
    """Interquartile means with 95% intervals; every seed where there are fewer than five."""
    head = ["run", "seeds", *columns, "seconds"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for label, run in runs.items():
        cells = [summarise(run, name) for name in columns]
        seeds = str(len(run.job.seeds))
        lines.append("| " + " | ".join([label, seeds, *cells, f"{run.seconds():.0f}"]) + " |")
    return "\n".join(lines) + "\n"


def markdown_verdict(judged: Mapping[str, Any]) -> str:
    """The claims as a table."""
    lines = ["| claim | expected | measured | 95% interval | holds |", "|" + " --- |" * 5]
    for entry in judged["claims"]:
        bounds = entry["interval"]
        span = "–" if bounds is None else f"{bounds[0]} to {bounds[1]}"
        cells = [entry["claim"], f"`{entry['expected']}`", str(entry["measured"]), span]
        lines.append("| " + " | ".join([*cells, "yes" if entry["holds"] else "**no**"]) + " |")
    return "\n".join(lines) + "\n"


def summarise(run: Run, metric: str) -> str:
    """One cell: IQM [interval], or the seeds themselves."""
    if metric != "steps_to_90" and metric not in run.final_scores()[0]:
        return "–"
    values = final_values(run, metric)
    digits = 0 if metric == "steps_to_90" else 3
    if metric == "steps_to_90":
        middle, statistic = float(np.median(values)), "median"
    else:
        middle, statistic = float(iqm(values)), "iqm"
    bounds = interval(values, statistic)
    if bounds is None:
        return ", ".join(_number(x, digits) for x in values)
    return f"{_number(middle, digits)} [{_number(bounds[0], digits)}, {_number(bounds[1], digits)}]"


def _number(x: float, digits: int) -> str:
    return "never" if not np.isfinite(x) else f"{x:,.{digits}f}"
