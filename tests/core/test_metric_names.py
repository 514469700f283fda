"""Every column that a run writes is in the catalogue, and every entry of it is written by somebody.

Read from a tiny run, its transfer and evaluation, and from the golden trajectories, which have
every learner, method and family; that they have these columns still is what their own test shows.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import depo
from depo.analysis.evaluate import evaluate
from depo.core.metrics import OF_VARIANT, catalogue
from depo.core.score_metrics import TEST
from tests.support.arguments import flat

SOURCES = Path(depo.__file__).parent
WRITERS = ("methods", "learners", "evaluation", "runs", "analysis", "environments", "driving")
"""Where metrics come from."""
GOLDEN = Path(__file__).parents[1] / "golden" / "references"
Rows = Iterable[Mapping[str, Any]]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    """Rows by what they are of."""
    folder = tmp_path_factory.mktemp("runs")
    grid = {"size": 3, "horizon": 8, "hidden": 32, "batch_steps": 64, "seeds": 2}
    trained = depo.train("depo", steps=128, out=folder / "grid", **flat(**grid))
    carried = depo.transfer(trained.path, steps=64, out=folder / "carried", **flat(k=2, **grid))
    rows: dict[str, Rows] = {run.path.name: run.metrics() for run in (trained, carried)}
    rows["evaluation"] = evaluate(trained.path, episodes=1)
    return rows | golden()


def golden() -> dict[str, Rows]:
    """The rows of golden trajectories, by case."""
    found: dict[str, Rows] = {}
    for file in sorted(GOLDEN.glob("*.json")):
        for case, trajectory in json.loads(file.read_text())["cases"].items():
            columns = trajectory["metrics"]
            rows = zip(*columns.values(), strict=True)
            found[case] = [dict(zip(columns, row, strict=True)) for row in rows]
    return found


def test_every_column_is_in_the_catalogue(written: dict[str, Rows]) -> None:
    of_variants = tuple(f"{score}_" for score in OF_VARIANT)
    for source, rows in written.items():
        missing = {name for row in rows for name in row} - set(catalogue())
        if "cotrain" in source:
            missing = {name for name in missing if not name.startswith(of_variants)}
        assert not missing, (
            f"{source}: give {sorted(missing)} entries in the catalogue (core/score_metrics.py, …)"
        )


def test_a_value_is_not_a_number_only_where_the_catalogue_says_so(
    written: dict[str, Rows],
) -> None:
    for source, rows in written.items():
        for row in rows:
            for name, value in row.items():
                if isinstance(value, float) and math.isnan(value):
                    assert catalogue()[name].nan, f"{source}: {name} is NaN"


def test_every_entry_is_written_by_somebody(written: dict[str, Rows]) -> None:
    seen = {name for rows in written.values() for row in rows for name in row}
    said = {
        node.value
        for folder in WRITERS
        for file in (SOURCES / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    dead = [name for name in catalogue() if name not in seen | said]
    assert not [name for name in dead if name.removeprefix(TEST) not in seen | said]
