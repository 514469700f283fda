"""Recordings as loggers leave them, of a known answer, and their import in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depo.data import Demonstrations, minari_datasets
from depo.data.importing import foreign
from depo.data.importing.pipeline import Imported, ImportSettings, import_files
from tests.support.child import without_child


def import_here(path: Path | list[Path], settings: dict[str, Any], **more: Any) -> Imported:
    """Import beside the first file, pieces of any length unless said."""
    paths = path if isinstance(path, list) else [path]
    first = Path(paths[0])
    out = (first if first.is_dir() else first.parent) / "out" / "imported.npz"
    return import_files(paths, out, ImportSettings(**{"shortest": 2, **settings}), **more)


def demos_of(path: Path | list[Path], settings: dict[str, Any], **more: Any) -> Demonstrations:
    """The same, loaded."""
    return import_here(path, settings, **more).demonstrations()


def write_csv(path: Path, columns: dict[str, Any], separator: str = ",", **more: Any) -> Path:
    """A table as text; ``decimal=","`` and ``end`` change its manner."""
    say: Callable[[Any], str] = lambda x: repr(x.item() if isinstance(x, np.generic) else x)  # noqa: E731
    rows = [separator.join(columns)]
    for row in zip(*columns.values(), strict=True):
        cells = [cell if isinstance(cell, str) else say(cell) for cell in row]
        rows.append(separator.join(c.replace(".", more.get("decimal", ".")) for c in cells))
    path.write_bytes((more.get("start", "") + "\n".join(rows) + more.get("end", "\n")).encode())
    return path


def without_children(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child for every file would take most of the tests' time."""
    if "real_child" not in request.keywords:
        monkeypatch.setattr(foreign, "in_child", without_child)
        monkeypatch.setattr(minari_datasets, "in_child", without_child)
