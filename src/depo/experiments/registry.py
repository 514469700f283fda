"""All experiments by name."""

from __future__ import annotations

from depo.experiments import ablation, continuous, grid, reinforcement
from depo.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    **grid.EXPERIMENTS,
    **continuous.EXPERIMENTS,
    **ablation.EXPERIMENTS,
    **reinforcement.EXPERIMENTS,
}
