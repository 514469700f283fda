from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.models.formula import Bounded, check_range

STATE = jnp.array([[0.3, 0.2], [0.1, -1.0]])
TARGET = jnp.array([[0.5, -0.2], [0.7, 0.9]])


def by_numpy(state, target):
    action = np.zeros_like(target)
    action[..., :] = 0.5 * np.sin(target) + 0.1 * np.asarray(state) ** 2
    return action


def by_jax(state, target):
    return 0.5 * jnp.sin(target) + 0.1 * state**2


@pytest.mark.parametrize("which", [0, 1])
def test_numpy_gives_what_jax_gives_and_so_do_its_derivatives(which: int) -> None:
    def summed(formula):
        bounded = Bounded(formula, "mine:formula")
        return jax.jit(jax.value_and_grad(lambda *x: jnp.sum(bounded(*x) ** 2), argnums=which))

    (value, slope), (known, right) = (summed(f)(STATE, TARGET) for f in (by_numpy, by_jax))
    np.testing.assert_allclose(value, known, rtol=1e-5)
    np.testing.assert_allclose(slope, right, rtol=1e-4, atol=1e-6)


def test_actions_are_bounded_and_formulas_of_equal_name_are_equal() -> None:
    far = Bounded(by_numpy, "mine:formula")(STATE + 10.0, TARGET)
    assert far.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Bounded(by_numpy, "mine:formula") == Bounded(by_numpy, "mine:formula")


@pytest.mark.parametrize("factor", [1.0, 30.0, float("nan")])
def test_other_units_and_no_numbers_are_refused(factor: float) -> None:
    formula = Bounded(lambda state, target: factor * jnp.ones_like(target), "mine:formula")
    if factor == 1.0:
        check_range(formula, STATE, TARGET)
        return
    sentence = "gives NaN in dimension 0" if np.isnan(factor) else "about 30 in dimension 0"
    with pytest.raises(DepoError, match=sentence):
        check_range(formula, STATE, TARGET)
