"""Sizes that cannot fit are refused by what they would take, before anything is compiled."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.runs.memory import fitting_shapes
from depo.runs.problem import open_problem
from tests.support.arguments import flat

SMALL = {"w": jax.ShapeDtypeStruct((10,), np.float32)}


@pytest.mark.parametrize("setting", [{"hidden": 999_999_999}, {"hidden": 10**12}])
def test_networks_larger_than_the_machine_are_refused(setting: dict) -> None:
    problem = open_problem(make_job("depo", **flat(**setting)))
    with pytest.raises(DepoError, match=r"this needs about .* GiB of memory, the machine has"):
        problem.initial_state()


@pytest.mark.parametrize(
    "setting",
    [
        {"minibatch": 10**9},
        {"skill_hidden": 10**9},
        {"updates_per_step": 1e12},
        {"hidden": 10_000, "minibatch": 10**6},
    ],
)
def test_batches_larger_than_the_machine_are_refused(setting: dict) -> None:
    job = make_job("depo", env="Pendulum-v1", **flat(**setting))
    with pytest.raises(DepoError, match=r"lower --hidden, --minibatch"):
        fitting_shapes(job, 3, lambda: SMALL)


def test_states_count_with_their_copies_and_seeds() -> None:
    job = make_job("depo", env="Pendulum-v1")
    fits = {"w": jax.ShapeDtypeStruct((2**20,), np.float32)}
    assert fitting_shapes(job, 3, lambda: fits) is fits
    with pytest.raises(DepoError, match="GiB of memory"):
        fitting_shapes(job, 3, lambda: {"w": jax.ShapeDtypeStruct((2**45,), np.float32)})
    many = dataclasses.replace(job, seeds=tuple(range(1_000)), steps=2**29)
    with pytest.raises(DepoError, match="GiB of memory"):
        fitting_shapes(many, 1_000, lambda: SMALL)


def test_a_network_of_twenty_thousand_layers_is_refused() -> None:
    job = make_job("depo", env="Pendulum-v1", **flat(skill_depth=20_000))
    with pytest.raises(DepoError, match="skill_depth 20,000: a network has at most 64 layers"):
        fitting_shapes(job, 3, lambda: SMALL)
