from __future__ import annotations

import jax
import optax
import pytest

import depo
from depo.core.errors import DepoError
from depo.methods.optimisation import fresh, replace_skill
from depo.models.skill import VectorSkill


def test_a_skill_for_other_features_is_refused() -> None:
    def skill(*predicts: int) -> VectorSkill:
        normaliser = depo.Normaliser.none(4)
        return VectorSkill(jax.random.key(0), normaliser, 1, (8,), predicts=predicts)

    agent = {"skill": fresh(skill(0, 1), optax.adam(1e-3))}
    with pytest.raises(DepoError, match=r"goes to the features \(2, 3\), what is planned are"):
        replace_skill(agent, skill(2, 3))
    assert replace_skill(agent, skill(0, 1))["skill"].model.predicts == (0, 1)


def test_a_skill_in_other_units_is_refused_by_their_names() -> None:
    def skill(steps: bool) -> VectorSkill:
        normaliser = depo.Normaliser.none(2, steps=steps)
        return VectorSkill(jax.random.key(0), normaliser, 1, (8,))

    agent = {"skill": fresh(skill(steps=True), optax.adam(1e-3))}
    with pytest.raises(DepoError, match=r"in deviations of states, .* in typical steps: take"):
        replace_skill(agent, skill(steps=False))
