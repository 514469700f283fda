"""Other people's learning curves, drawn behind ours: a CSV with one row for each evaluation.

Columns ``method, environment, seed, env_steps, return``; the authors' published table, whose
columns have other names and which holds several variants of a run, is read as well.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from depo.errors import DepoError
from depo.report.curves import COLOURS

Curves = dict[str, tuple[np.ndarray, np.ndarray]]
"""Method: steps, and the mean return over seeds."""

AUTHORS_TASKS = {
    "invpendulum": "inverted-pendulum",
    "hopper": "hopper",
    "walker": "walker2d",
    "halfcheetah": "half-cheetah",
    "humanoid": "humanoid",
    "ant": "ant",
}
AUTHORS_RUNS = {
    "bco-invpendulum-STANDARD-EXP": "bco",
    "gailfo-invpendulum": "gaifo",
    "bco-hopper-norm": "bco",
    "gailfo-hopper-norm": "gaifo",
    "sl-lfo-hopper-norm-exps--state-diff--biginvbuffer--splr-0.001--idlr-0.0001": "depo-supervised",
    "bco-walker-norm": "bco",
    "gailfo-walker-4-norm-static-alpha0.0": "gaifo",
    "bco-halfcheetah-norm": "bco",
    "gailfo-halfcheetah-4-norm-staticalpha-0.0": "gaifo",
    "bco-humanoidslim-norm": "bco",
    "gailfo-humanoidslim-4-gradpen-16": "gaifo",
}
"""The variants closest to the paper's figure."""


def read_reference(file: str) -> dict[str, Curves]:
    """Curves by task, then method."""
    path = Path(file)
    if not path.exists():
        raise DepoError(f"{path} does not exist: --reference wants a CSV of learning curves")
    points: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    with path.open(newline="") as stream:
        reader = csv.DictReader(stream)
        columns = set(reader.fieldnames or ())
        is_authors = {"variant_dir", "env", "eval_return"} <= columns
        if not is_authors and not {"method", "environment", "env_steps", "return"} <= columns:
            raise DepoError(
                f"{path} has the columns {sorted(columns)}: expected method, environment, seed, "
                "env_steps, return"
            )
        for row in reader:
            if is_authors:
                method = AUTHORS_RUNS.get(row["variant_dir"], "")
                task, value = AUTHORS_TASKS.get(row["env"], ""), row["eval_return"]
            else:
                method, task, value = row["method"], row["environment"], row["return"]
            if method and task and value:
                points[task, method][int(float(row["env_steps"]))].append(float(value))
    curves: dict[str, Curves] = defaultdict(dict)
    for (task, method), values in points.items():
        steps = np.array(sorted(values))
        curves[task][method] = (steps, np.array([np.mean(values[step]) for step in steps]))
    return curves


def draw_reference(axes: Axes, curves: Curves, until: int) -> None:
    """Thin dotted lines up to the last step of ours."""
    for method, (steps, values) in sorted(curves.items()):
        seen = steps <= until
        axes.plot(
            steps[seen],
            values[seen],
            color=COLOURS.get(method, "grey"),
            lw=1.2,
            ls=":",
            label=f"{method} (published)",
        )
