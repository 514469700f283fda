"""All experiments by name."""

from __future__ import annotations

from depo.experiments import ablation, continuous, driving, grid, reinforcement, table1, transfer
from depo.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    **grid.EXPERIMENTS,
    **continuous.EXPERIMENTS,
    **transfer.EXPERIMENTS,
    **ablation.EXPERIMENTS,
    **reinforcement.EXPERIMENTS,
    **driving.EXPERIMENTS,
    **table1.EXPERIMENTS,
}
