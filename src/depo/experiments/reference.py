"""Other people's learning curves, drawn behind ours: a CSV with one row for each evaluation.

Columns ``method, environment, seed, env_steps, return``, and ``reach_error`` if it is known; the
authors' published table, whose columns have other names and which holds several variants of a run,
is read as well. Their error between planned and reached is a sum over features, here a mean.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from depo.core.errors import DepoError
from depo.plotting.curves import method_colours

Curves = dict[str, tuple[np.ndarray, np.ndarray]]
"""Method: steps, and the mean over seeds."""
Metric = Literal["return", "reach_error"]

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
    "gailfo-dp-invpendulum-old_sac": "gaifo-dp",
    "sl-lfo-invpendulum--biginvbuffer--splr-0.001--idlr-0.0001": "depo-supervised",
    "bco-hopper-norm": "bco",
    "gailfo-hopper-norm": "gaifo",
    "sl-lfo-hopper-norm-exps--state-diff--biginvbuffer--splr-0.001--idlr-0.0001": "depo-supervised",
    "bco-walker-norm": "bco",
    "gailfo-walker-4-norm-static-alpha0.0": "gaifo",
    "sl-lfo-walker-norm--biginvbuffer--splr-0.001--idlr-0.0001": "depo-supervised",
    "bco-halfcheetah-norm": "bco",
    "gailfo-halfcheetah-4-norm-staticalpha-0.0": "gaifo",
    "sl-lfo-halfcheetah-norm--state-diff--biginvbuffer--splr-0.001--idlr-0.0001": "depo-supervised",
    "bco-humanoidslim-norm": "bco",
    "gailfo-humanoidslim-4-gradpen-16": "gaifo",
}
"""The variants closest to the paper's figure."""
AUTHORS_FEATURES = {"hopper": 11, "walker": 17, "halfcheetah": 17, "humanoid": 45, "ant": 27}
"""InvertedPendulum's errors are not of standardised states, so they compare with nothing here."""


def read_reference(file: str, metric: Metric = "return") -> dict[str, Curves]:
    """Curves of a metric by task, then method."""
    path = Path(file)
    if not path.exists():
        raise DepoError(f"{path} does not exist: --reference wants a CSV of learning curves")
    points: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    with path.open(newline="", encoding="utf-8") as stream:
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
                task, value = AUTHORS_TASKS.get(row["env"], ""), _authors_value(row, metric)
            else:
                method, task = row["method"], row["environment"]
                value = float(row[metric]) if row.get(metric) else None
            if method and task and value is not None:
                points[task, method][int(float(row["env_steps"]))].append(value)
    curves: dict[str, Curves] = defaultdict(dict)
    for (task, method), values in points.items():
        steps = np.array(sorted(values))
        curves[task][method] = (steps, np.array([np.mean(values[step]) for step in steps]))
    return curves


def _authors_value(row: Mapping[str, str], metric: Metric) -> float | None:
    if metric == "return":
        return float(row["eval_return"]) if row["eval_return"] else None
    error, features = row.get("pred_real_mse"), AUTHORS_FEATURES.get(row["env"])
    return float(error) / features if error and features else None


def draw_reference(axes: Axes, curves: Curves, until: int) -> None:
    """Thin dotted lines up to the last step of ours."""
    colours = method_colours()
    for method, (steps, values) in sorted(curves.items()):
        seen = steps <= until
        axes.plot(
            steps[seen],
            values[seen],
            color=colours.get(method, "grey"),
            lw=1.2,
            ls=":",
            label=f"{method} (published)",
        )
