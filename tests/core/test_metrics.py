"""The catalogue: entries that are whole, and what becomes of a metric nobody registered."""

from __future__ import annotations

import subprocess
import sys

import pytest

from depo.core import metrics
from depo.core.errors import DepoError
from depo.core.metrics import (
    EXPERIMENTS,
    PROGRESS,
    Metric,
    catalogue,
    find_metric,
    main_metric,
    register_metrics,
    shown_in,
)


@pytest.fixture
def _own_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(metrics, "_REGISTERED", dict(catalogue()))


@pytest.mark.parametrize("entry", catalogue().values(), ids=lambda entry: entry.name)
def test_an_entry_says_what_people_need(entry: Metric) -> None:
    assert entry.label
    assert "_" not in entry.label
    assert entry.meaning.endswith(".")
    if PROGRESS in entry.shown:
        assert entry.better != "neither"


def test_labels_are_not_taken_twice() -> None:
    labels = [entry.label for entry in catalogue().values()]
    assert len(set(labels)) == len(labels)


@pytest.mark.usefixtures("_own_catalogue")
def test_a_metric_from_outside_is_shown_like_ours() -> None:
    jerk = Metric("jerk", "jerk", "How hard it brakes.", unit="m/s³", better="lower")
    assert find_metric("jerk").title == "jerk"
    register_metrics(jerk, jerk)
    assert find_metric("jerk").title == "jerk (m/s³)"
    assert find_metric("jerk").is_better(1.0, than=2.0)
    with pytest.raises(DepoError, match=r"'success' is registered already .*another name"):
        register_metrics(Metric("success", "luck", "Something else."))


def test_a_metric_nobody_registered_has_a_default_entry() -> None:
    entry = find_metric("smooth_ride")
    assert (entry.title, entry.better, entry.shown, entry.nan) == ("smooth ride", "neither", (), "")
    assert entry.is_better(2.0, than=1.0)


def test_variants_and_test_vehicles_inherit() -> None:
    variant, twin = find_metric("success_truck"), find_metric("test_gap_distance")
    assert variant.label == "success rate, truck"
    assert variant.better == "higher"
    assert EXPERIMENTS not in variant.shown
    assert twin.title == "W₁ of gaps, test vehicles (m)"
    assert twin.nan


def test_a_place_shows_its_own_in_the_order_of_the_catalogue() -> None:
    row = ["env_steps", "return", "test_success", "success", "collisions"]
    assert [m.name for m in shown_in(EXPERIMENTS, row)] == [
        "success",
        "return",
        "collisions",
        "test_success",
    ]
    assert main_metric(["policy_loss"]) is None


def test_the_catalogue_needs_neither_jax_nor_matplotlib() -> None:
    code = "import sys, depo.core.metrics; print({'jax', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
