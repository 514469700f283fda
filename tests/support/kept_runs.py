"""Copies of runs that an earlier version wrote: folders to look at, without training."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "fixtures" / "v0.1"
GRID, POINT = "grid-depo", "point-depo"


def kept_run(
    name: str, target: Path, change: Callable[[dict[str, Any]], None] | None = None
) -> Path:
    """A copy of a run, with its settings changed as somebody else may have."""
    shutil.copytree(FOLDER / name, target)
    if change is not None:
        settings = json.loads((target / "settings.json").read_text())
        change(settings)
        (target / "settings.json").write_text(json.dumps(settings))
    return target


def with_seeds(target: Path, *seeds: int) -> Path:
    """A run whose metrics are those of its seed for others, too, with a small difference."""
    settings = json.loads((target / "settings.json").read_text())
    settings["job"]["seeds"] = list(seeds)
    (target / "settings.json").write_text(json.dumps(settings))
    head, *rows = (target / "metrics.csv").read_text().splitlines()
    lines = [head]
    for row in rows:
        _, steps, score, rest = row.split(",", 3)
        lines += [f"{s},{steps},{float(score) + 0.01 * i},{rest}" for i, s in enumerate(seeds)]
    (target / "metrics.csv").write_text("\n".join(lines) + "\n")
    return target
