"""What interpolation promises for all inputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.data.importing.resampling import (
    TURN,
    Resampler,
    aligned,
    interpolated,
    slerp,
    unwrapped,
)

SEEDS = st.integers(0, 2**32 - 1)


def growing(rng: np.random.Generator, rows: int) -> np.ndarray:
    return np.cumsum(rng.uniform(0.01, 0.1, rows))


def stretches(resampler: Resampler, time: np.ndarray, rows: np.ndarray, cuts: list[int]) -> list:
    """All that a resampler gives for rows in chunks: (times, values) of each episode."""
    found = []
    parts = np.split(np.arange(len(time)), sorted(cuts))
    for part in [*(resampler.push(time[p], rows[p].copy()) for p in parts), resampler.close()]:
        for stretch in part:
            if stretch.is_new:
                found.append([[], []])
            found[-1][0].append(stretch.time)
            found[-1][1].append(stretch.values)
    return [(np.concatenate(t), np.concatenate(v)) for t, v in found]


@given(SEEDS, st.floats(-5, 5), st.floats(-5, 5), st.floats(0.005, 0.5))
def test_a_linear_signal_is_resampled_exactly(
    seed: int, slope: float, start: float, step: float
) -> None:
    time = growing(np.random.default_rng(seed), 40)
    resampler = Resampler((1,), {}, (), 1.0, step)
    ((at, values),) = stretches(resampler, time, (start + slope * time)[:, None], [])
    np.testing.assert_allclose(values[:, 0], start + slope * at, atol=1e-9)
    np.testing.assert_allclose(np.diff(at), step, atol=1e-9)
    assert time[-1] - at[-1] < step * (1 + 1e-5)


@given(SEEDS, st.lists(st.integers(0, 60), max_size=5), st.sampled_from([None, 0.03, 0.2]))
def test_chunks_make_no_difference(seed: int, cuts: list[int], step: float | None) -> None:
    """With missing values, an angle and a quaternion."""
    rng = np.random.default_rng(seed)
    time = growing(rng, 60)
    rows = rng.normal(size=(60, 6))
    rows[:, 1] = np.cumsum(rng.uniform(-1, 2, 60)) % TURN
    rows[rng.random((60, 6)) < 0.1] = np.nan
    rows[20:26, 0] = np.nan
    make = lambda: Resampler((1, 1, 4), {1: TURN}, (2,), 0.25, step)  # noqa: E731
    whole, parts = stretches(make(), time, rows, []), stretches(make(), time, rows, cuts)
    assert len(whole) == len(parts)
    for (t, v), (u, w) in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(t, u)
        np.testing.assert_allclose(v, w, atol=1e-12)


@given(SEEDS, st.floats(0.06, 0.4))
def test_no_sample_is_used_across_a_gap(seed: int, max_gap: float) -> None:
    """What lies beyond a gap does not change what lies before, and nothing lies in it."""
    rng = np.random.default_rng(seed)
    time = growing(rng, 30)
    rows = rng.normal(size=(30, 2))
    missing = rng.random(30) < 0.4
    rows[missing, 0] = np.nan
    known = time[~missing]
    found = stretches(Resampler((1, 1), {}, (), max_gap, 0.02), time, rows, [])
    for at in (t for t, _ in found):
        right = np.searchsorted(known, at - 1e-7)
        left = np.searchsorted(known, at + 1e-7, side="right") - 1
        assert (known[right] - known[left] <= max_gap + 1e-6).all()
    gaps = np.flatnonzero(np.diff(known) > max_gap)
    if len(gaps):
        other = rows.copy()
        other[time > known[gaps[0]] + 1e-12] += 100.0
        again = stretches(Resampler((1, 1), {}, (), max_gap, 0.02), time, other, [])
        for (t, v), (_, w) in zip(found, again, strict=True):
            if t[-1] <= known[gaps[0]]:
                np.testing.assert_array_equal(v, w)


@given(SEEDS)
def test_unwrapping_is_continuous_and_changes_whole_turns_only(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time = growing(rng, 50)
    true = np.cumsum(rng.uniform(-3.0, 3.0, 50))
    angle = np.angle(np.exp(1j * true))
    angle[rng.random(50) < 0.1] = np.nan
    found, added, _ = unwrapped(time, angle, 100.0)
    good = np.isfinite(angle)
    jumps = np.abs(np.diff(found[good]))
    assert (jumps <= np.pi + 1e-9).all()
    turns = (found[good] - angle[good]) / TURN
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    np.testing.assert_allclose(found[good] - angle[good], added[good], atol=1e-9)


def test_after_a_gap_an_angle_is_as_it_was_recorded() -> None:
    time = np.array([0.0, 0.1, 0.2, 5.0, 5.1])
    angle = np.array([3.0, -3.0, -2.9, -2.8, -2.7])
    found = unwrapped(time, angle, 1.0)[0]
    np.testing.assert_allclose(found[:3], [3.0, TURN - 3, TURN - 2.9])
    np.testing.assert_allclose(found[3:], angle[3:])


def test_an_episode_begins_with_the_angle_as_it_was_recorded() -> None:
    """Also where another signal is missing, and the angle itself went on turning."""
    time = np.arange(40) * 0.1
    angle = (time * 4.0) % TURN
    other = np.where((time > 1.9) & (time < 2.9), np.nan, 0.0)
    found = stretches(
        Resampler((1, 1), {0: TURN}, (), 0.5, None), time, np.stack([angle, other], 1), []
    )
    assert len(found) == 2
    for at, values in found:
        assert abs(values[0, 0] - (at[0] * 4.0) % TURN) < 1e-9
        np.testing.assert_allclose(np.diff(values[:, 0]), 0.4, atol=1e-9)


@given(SEEDS, st.floats(0.01, 0.3))
def test_slerp_stays_of_unit_length_and_turns_at_a_constant_rate(seed: int, step: float) -> None:
    rng = np.random.default_rng(seed)
    quaternions = rng.normal(size=(2, 20, 4))
    share = rng.random(20)
    first, second = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in quaternions)
    mixed = slerp(first, second, share)
    np.testing.assert_allclose(np.linalg.norm(mixed, axis=1), 1.0, atol=1e-12)
    half = 0.5 * 2.0 * (time := growing(rng, 30))  # 2 rad/s about z, with signs that flip
    turning = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    turning *= rng.choice([-1.0, 1.0], 30)[:, None]
    ((at, values),) = stretches(Resampler((4,), {}, (0,), 1.0, step), time, turning, [])
    np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1.0, atol=1e-12)
    exact = np.stack([np.cos(at), 0 * at, 0 * at, np.sin(at)], axis=1)
    np.testing.assert_allclose(np.abs(np.sum(exact * values, axis=1)), 1.0, atol=1e-9)


def test_a_quaternion_without_length_is_missing() -> None:
    found = aligned(np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [-2.0, 0, 0, 0]]))
    np.testing.assert_allclose(found[[0, 2]], [[1, 0, 0, 0], [1, 0, 0, 0]])
    assert np.isnan(found[1]).all()


def test_what_no_sample_is_near_is_unknown() -> None:
    nothing = interpolated(np.arange(3.0), np.full((3, 1), np.nan), np.array([1.0]), 5.0)
    assert not nothing.is_known.any()
    one = interpolated(np.array([1.0]), np.ones((1, 1)), np.array([0.5, 1.0, 1.5]), 5.0)
    assert one.is_known.tolist() == [False, True, False]


@pytest.mark.filterwarnings("error")
def test_a_quaternion_that_is_too_long_is_none() -> None:
    found = aligned(np.array([[1e200, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]))
    assert np.isnan(found[0]).all()
    np.testing.assert_allclose(found[1], [0.0, 1.0, 0.0, 0.0])
