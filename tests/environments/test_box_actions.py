"""Recorded actions in the units of networks, and back."""

from __future__ import annotations

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.environments.point import ID
from tests.support import line


@pytest.mark.parametrize("actions", ["wide", "several", "binary"])
def test_recorded_actions_come_back_as_networks_had_them(actions: str) -> None:
    environment = GymnasiumEnvironment(ID, {"actions": actions})
    own = environment.vector_sizes().action_space.random(np.random.default_rng(0), (20,))
    again = environment.network_actions(environment.native_actions(own))
    np.testing.assert_allclose(again, own, atol=1e-6)


def test_actions_of_another_body_or_other_units_are_refused() -> None:
    environment = GymnasiumEnvironment(ID, {"actions": "wide"})
    with pytest.raises(DepoError, match=r"have 3 numbers, those of .* have 2"):
        environment.network_actions(np.zeros((4, 3)))
    with pytest.raises(DepoError, match=r"75% .* beyond the bounds .* of other units"):
        environment.network_actions(np.array([[0.0, 0.0], *[[0.0, 300.0]] * 3]))
    cut = environment.network_actions(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 300.0]]))
    assert cut[-1].tolist() == [-0.25, 1.0]
    choices = GymnasiumEnvironment(line.ID)
    for wrong in (np.array([0.5]), np.array([3]), np.array([[0, 1]])):
        with pytest.raises(DepoError, match="not among those of"):
            choices.network_actions(wrong)
