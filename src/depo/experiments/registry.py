"""All experiments by name."""

from __future__ import annotations

from depo.experiments import continuous, grid, transfer
from depo.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    **grid.EXPERIMENTS,
    **continuous.EXPERIMENTS,
    **transfer.EXPERIMENTS,
}
