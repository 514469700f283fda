"""Learning curves."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

import depo
from depo.methods import registry
from depo.methods.registry import MethodSpec, find_method
from depo.plotting.curves import draw_curves


def test_a_method_that_is_registered_late_has_its_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = {"hidden": 8, "batch_steps": 32, "evaluate_every": 1}
    run = depo.train("bco", steps=96, overrides=tiny, out=tmp_path / "run")
    late = MethodSpec("late", "Nothing.", {}, colour="#123456")
    monkeypatch.setitem(registry._all(), "late", late)
    axes = Figure().subplots()
    draw_curves(axes, {"late": run, "other": run}, "success")
    shown = {line.get_label(): line.get_color() for line in axes.lines}
    assert shown["late"] == "#123456"
    assert shown["other"] == find_method("bco").colour
