"""Where the answer is known: s' = s + a/10, an expert that walks right, a given controller."""

from __future__ import annotations

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.methods.for_environment import known_skill
from depo.models.skill import AnalyticSkill
from depo.runs.home import find_environment
from tests.environments.point import ID, STEP, inverse
from tests.support.learning import RIGHT, learned, places


def clipped(state, target):
    """The exact inverse, within the limits of the motors."""
    return inverse(state, target).clip(-1.0, 1.0)


@pytest.mark.slow
def test_decisions_go_where_the_expert_goes() -> None:
    _, agent, _ = learned(
        "pid-gail",
        updates=1_500,
        skill=AnalyticSkill(clipped),
        gradient_penalty=0.1,
        discriminator_rate=3e-3,
    )
    state = places()
    decided = np.asarray(agent["planner"].model.mode(state) - state)
    np.testing.assert_allclose(decided.mean(axis=0), RIGHT, atol=0.3 * STEP)


def test_a_vehicle_has_controllers_and_who_has_none_is_told() -> None:
    truck = find_environment("driving", arguments={"vehicle": "truck"})
    assert known_skill("pid-gail", truck, "") == "depo.driving.skill:pid_truck"
    assert known_skill("pid-gail", truck, "mine:controllers") == "mine:controllers"
    for skill in ("", "learned"):
        with pytest.raises(DepoError, match="give --skill module:function"):
            known_skill("pid-gail", find_environment(ID), skill)
