"""Statistics of states."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from depo.core.errors import DepoError
from depo.models.normaliser import (
    SMALLEST_STEP,
    Normaliser,
    check_statistics,
    give_statistics,
)


def test_statistics_survive_a_feature_that_never_changes() -> None:
    normaliser = Normaliser.of(jnp.array([[1.0, 5.0], [2.0, 5.0]]), clip=20.0)
    z = normaliser(jnp.array([[100.0, 5.0], [1.0, 5.1]]))
    assert np.isfinite(z).all()
    assert np.abs(np.asarray(z)).max() <= 20.0
    np.testing.assert_allclose(normaliser.back(normaliser(jnp.array([1.5, 5.0]))), [1.5, 5.0])


def test_steps_are_measured_in_deviations_and_have_a_floor() -> None:
    state = jnp.array([[0.0, 1.0], [4.0, 1.0]])
    own = Normaliser.of(state, 0.0, reached=state + jnp.array([1.0, 0.0]))
    np.testing.assert_allclose(own.step, [0.5, 1e-3])
    np.testing.assert_allclose(own.in_steps(own(state + 1.0) - own(state))[:, 0], 1.0)
    assert own.at((0,)).step.tolist() == [0.5]
    assert own.twice().step.shape == (4,)
    with pytest.raises(DepoError, match="scale or step is not above 0"):
        check_statistics(Normaliser(own.mean, own.scale, 0.0, -own.step), Path("a"))


def test_a_unit_of_several_steps_stays_one_when_statistics_are_given() -> None:
    state = jnp.array([[0.0], [4.0]])
    far = give_statistics(Normaliser.none(1, steps=True).striding(5), state, state + 1.0)
    np.testing.assert_allclose(far.step, [2.5])  # a step is half a deviation
    np.testing.assert_allclose(far.at((0,)).striding(5).step, [2.5])


ROWS = arrays(np.float32, (6, 2), elements=st.floats(-50, 50, width=32))


@settings(max_examples=30, deadline=None)
@given(ROWS, ROWS, ROWS)
def test_units_grow_only_where_others_are_cut_off(
    shown: np.ndarray, states: np.ndarray, moves: np.ndarray
) -> None:
    own = Normaliser.of(jnp.array(shown), 3.0, jnp.array(shown + 0.5 * moves))
    wide = own.widened(jnp.array(states), jnp.array(states + moves))
    z = (states - np.asarray(own.mean)) / np.asarray(own.scale)
    typical = np.sqrt(np.mean(z**2))
    assume(abs(typical - 3.0) > 0.01)
    if typical < 3.0:
        np.testing.assert_array_equal(wide.scale, own.scale)
        np.testing.assert_array_equal(wide.step, own.step)
        return
    assert (np.asarray(wide.scale) >= 0.999 * np.asarray(own.scale)).all()
    assert (np.asarray(wide.scale) > 1.2 * np.asarray(own.scale)).any()
    steps, before = np.asarray(wide.step * wide.scale), np.asarray(own.step * own.scale)
    assert (steps >= 0.999 * before).all()
    assert (steps >= 0.99 * np.sqrt(np.mean(np.square(moves), axis=0))).all()


def test_what_is_shown_at_one_value_has_the_units_of_the_first_transitions() -> None:
    generator = np.random.default_rng(0)
    shown = generator.normal(size=(50, 5)) * np.array([1.0, 0.0, 0.0, 1e-6, 0.0]) + 3.0
    states = generator.normal(size=(200, 5)) * np.array([9.0, 2.0, 2.0, 1e-6, 0.0]) + 3.0
    moves = generator.normal(size=(200, 5)) * np.array([1.0, 0.1, 0.0, 1e-7, 0.0])
    shown[:, 3] -= 3.0
    states[:, 3] -= 3.0
    rows = [jnp.array(x, jnp.float32) for x in (shown, states, states + moves)]
    own = Normaliser.of(rows[0], 20.0, rows[0] + 0.1 * rows[0].std(axis=0))
    scale = np.asarray(own.completed(*rows).scale)
    assert scale[0] == own.scale[0]  # it varies: the expert's deviation
    assert scale[1] == pytest.approx(2.0, rel=0.2)  # a contact that is never made
    assert scale[2] == pytest.approx(40.0, rel=0.2)  # a goal that no action changes
    assert scale[3] == pytest.approx(1e-6, rel=0.3)  # small in whatever units it has
    assert scale[4] == own.scale[4]  # never anything else, anywhere
    steps = np.asarray(own.completed(*rows).step) * scale
    assert steps[1] == pytest.approx(0.1, rel=0.2)
    assert (np.asarray(own.completed(*rows).step) >= SMALLEST_STEP).all()


def test_a_goal_shown_once_does_not_make_other_units_larger() -> None:
    generator = np.random.default_rng(0)
    shown = np.column_stack([generator.normal(size=50), np.full(50, 0.1)])
    states = np.column_stack([generator.normal(size=50), generator.uniform(-0.2, 0.2, 50)])
    rows = jnp.array(states, jnp.float32), jnp.array(states, jnp.float32)
    view = {"sees": Normaliser.none(2, 20.0, steps=True)}
    got = give_statistics(view, *rows, (jnp.array(shown, jnp.float32),) * 2)["sees"]
    assert float(got.scale[0]) == pytest.approx(np.std(shown[:, 0]), rel=1e-4)


@pytest.mark.parametrize(
    ("mean", "scale"), [(0.0, -1.0), (0.0, 0.0), (0.0, np.inf), (np.nan, 1.0), (1e35, 1.0)]
)
def test_statistics_that_are_none_are_refused(mean: float, scale: float) -> None:
    normaliser = Normaliser(jnp.array([0.0, mean]), jnp.array([1.0, scale]))
    with pytest.raises(DepoError, match="a holds a normaliser whose mean is not finite or whose"):
        check_statistics({"agents": [normaliser]}, Path("a"))


def test_moments_of_statistics_are_no_statistics_but_have_a_range() -> None:
    moments = optax.adam(1e-3).init(Normaliser.none(2))
    check_statistics(moments, Path("a"))
    below = jax.tree.map(lambda x: x - 1, moments)
    with pytest.raises(DepoError, match="a holds mean squares below 0"):
        check_statistics(below, Path("a"))
