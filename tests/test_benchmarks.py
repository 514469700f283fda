"""Benchmarks are run by hand, so they rot unseen: what they begin with is tried here."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from depo.methods.presets import preset_settings
from depo.methods.registry import OFF_POLICY

FOLDER = Path(__file__).parents[1] / "benchmarks"


NEEDS_MORE = {"updates_torch"}
"""Runs in an environment of its own, with PyTorch."""


@pytest.mark.parametrize("name", sorted({p.stem for p in FOLDER.glob("*.py")} - NEEDS_MORE))
def test_a_benchmark_can_be_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    importlib.import_module(name)


def test_updates_have_a_learner_and_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    updates = importlib.import_module("updates_jax")
    learner = updates.new_learner(preset_settings("depo", "fast", OFF_POLICY, "Hopper-v5"))
    batch, _ = learner.draw(learner.collectors[0])
    assert batch.state.shape == (learner.updates, 128, updates.STATES)
