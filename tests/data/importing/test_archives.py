"""NumPy archives of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from depo.core import npz
from depo.core.errors import DepoError
from depo.data.importing import archives
from tests.support.recordings import demos_of, import_here


def save(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "a.npz", **arrays)
    return folder / "a.npz"


def turning(rows: int) -> np.ndarray:
    """A free joint that turns about z, a hinge and a slide."""
    half = np.arange(rows) * 0.01
    zero = 0 * half
    root = np.stack([half, zero, zero + 1, np.cos(half), zero, zero, np.sin(half)], axis=1)
    return np.concatenate([root, half[:, None], -half[:, None]], axis=1)


def test_a_trajectory_of_loco_mujoco(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        qpos=turning(100),
        qvel=np.zeros((100, 8)),
        split_points=np.array([0, 40, 100]),
        joint_names=np.array(["root", "knee", "rail"]),
        jnt_type=np.array([0, 3, 2]),
        njnt=np.array(3),
        frequency=np.array(100.0),
        metadata=np.array(None, dtype=object),  # a pickle, which is never looked at
    )
    found = import_here(path, {}, step=0.005)
    demos = found.demonstrations()
    assert demos.feature_names[:8] == (
        *(f"q_root_{part}" for part in ("x", "y", "z", "qw", "qx", "qy", "qz")),
        "q_knee",
    )
    assert demos.feature_names[9] == "dq_root_vx"
    assert demos.episode_lengths.tolist() == [79, 119]
    lengths = np.linalg.norm(demos.observations[:, 3:7], axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)
    first = next(iter(demos))
    np.testing.assert_allclose(first[:, 6], np.sin(np.arange(79) * 0.005), atol=1e-6)


def test_arrays_of_one_length_and_lengths_of_episodes(tmp_path: Path) -> None:
    path = save(tmp_path, states=np.arange(12.0).reshape(6, 2), episode_ends=np.array([2, 6]))
    demos = demos_of(path, {})
    assert demos.feature_names == ("states.0", "states.1")
    assert demos.episode_lengths.tolist() == [2, 4]


def test_a_cube_is_episodes_of_equal_length(tmp_path: Path) -> None:
    cube = np.arange(24.0).reshape(3, 4, 2)
    demos = demos_of(save(tmp_path, states=cube, mass=np.ones(5)), {})
    assert demos.episode_lengths.tolist() == [4, 4, 4]
    np.testing.assert_array_equal(demos.observations, cube.reshape(12, 2))


def test_a_cube_that_is_filled_up_ends_where_lengths_or_masks_say(tmp_path: Path) -> None:
    cube = np.arange(24.0).reshape(3, 4, 2)
    parts = {"actions": np.zeros((3, 3, 1)), "states": cube}
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 0]], bool)
    for more in ({"lengths": np.array([2, 4, 3])}, {"mask": mask}):
        demos = demos_of(save(tmp_path, **parts, **more), {})
        assert demos.episode_lengths.tolist() == [2, 4, 3]
        np.testing.assert_array_equal(demos.observations, cube[mask])


def test_arrays_that_are_an_episode_each(tmp_path: Path) -> None:
    first, second = np.arange(8.0).reshape(4, 2), np.arange(10.0).reshape(5, 2)
    np.savez(tmp_path / "b.npz", second, first)
    for path in (save(tmp_path, traj_10=first, traj_9=second), tmp_path / "b.npz"):
        demos = demos_of(path, {})
        assert demos.episode_lengths.tolist() == [5, 4]
        np.testing.assert_array_equal(demos.observations, np.concatenate([second, first]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_come_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: Any) -> None:
    monkeypatch.setattr(archives, "ROWS", 7)
    rows = np.random.default_rng(0).normal(size=(40, 3))
    path = tmp_path / "a.npz"
    np.savez_compressed(
        path, obs=np.asarray(rows, ">f8", order=order), dones=np.arange(40) % 20 == 19
    )
    demos = demos_of(path, {})
    assert demos.episode_lengths.tolist() == [20, 20]
    np.testing.assert_allclose(demos.observations, rows, atol=1e-6)


def test_columns_by_their_own_names_and_marks_on_last_rows(tmp_path: Path) -> None:
    path = save(
        tmp_path, time=np.arange(6) / 10, hip_deg=np.arange(6.0), done=np.array([0, 0, 1, 0, 0, 1])
    )
    demos = demos_of(path, {})
    assert demos.feature_names == ("hip",)
    assert demos.episode_lengths.tolist() == [3, 3]
    np.testing.assert_allclose(demos.observations[:, 0], np.deg2rad(np.arange(6)), atol=1e-6)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"obs": np.array([None, 1], object)}, "'obs' are pickled objects, which depo never loads"),
        (
            {"states": np.zeros((2, 3, 1)), "lengths": np.array([2, 9])},
            "not between 0 and the 3",
        ),
        ({"words": np.array(["a", "b"])}, "has no array of numbers with rows"),
        (
            {"qpos": np.zeros((4, 2)), "split_points": np.array([0, 9])},
            "do not grow from 0 to the 4",
        ),
        ({"x": np.zeros(4), "episode_lengths": np.array([3, 3])}, "add up to 6, there are 4 rows"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    with pytest.raises(DepoError) as refused:
        import_here(save(tmp_path, **arrays), {})
    assert said in str(refused.value)


@pytest.mark.parametrize(("name", "value"), [("jnt_type", ["ball"]), ("frequency", "fast")])
def test_words_where_a_trajectory_has_numbers_are_refused(
    tmp_path: Path, name: str, value: Any
) -> None:
    parts = {"jnt_type": np.array([3]), "joint_names": np.array(["knee"]), "njnt": np.array(1)}
    parts |= {"frequency": np.array(100.0), name: np.array(value)}
    path = save(tmp_path, qpos=np.zeros((20, 1)), split_points=np.array([0, 20]), **parts)
    with pytest.raises(DepoError, match=f"'{name}' has dtype"):
        import_here(path, {})


def test_a_column_vector_is_a_column_and_rows_must_be_times(tmp_path: Path) -> None:
    path, times = tmp_path / "a.npz", np.arange(30) / 10
    np.savez(path, t=times[:, None], X=np.outer(times, [1.0, 2.0]), ep=np.repeat([[0], [1]], 15, 0))
    demos = demos_of(path, {})
    assert demos.episode_lengths.tolist() == [15, 15]
    np.testing.assert_allclose(demos.observations[:, 1], 2 * times, atol=1e-6)
    assert demos.metadata["time_step"] == pytest.approx(0.1)
    np.savez(path, t=times, states=np.zeros((4, 30)))
    with pytest.raises(
        DepoError, match=r"'states' has shape \(4, 30\) and 't' 30 times.* states.T"
    ):
        demos_of(path, {})


def test_one_feature_beside_the_time_of_its_start_is_not_turned(tmp_path: Path) -> None:
    values = np.linspace(0.0, 1.0, 30)[:, None]
    np.savez(tmp_path / "a.npz", q=values, time=np.array([5.0]))
    demos = demos_of(tmp_path / "a.npz", {})
    np.testing.assert_allclose(demos.observations, values, atol=1e-6)


@pytest.mark.parametrize("shift", ["us", "ns", "ms"])
def test_dates_of_numpy_are_a_time(tmp_path: Path, shift: str) -> None:
    """They were left out, and the recording had no step."""
    time = np.datetime64("2024-05-01", shift) + (20 * np.arange(60)).astype("timedelta64[ms]")
    time[5] = np.datetime64("NaT")
    found = import_here(save(tmp_path, time=time, x=np.arange(60.0)), {})
    assert found.time_step == pytest.approx(0.02)
    assert found.reports[0].untimed == 1
    spans = (time - time[0]).astype(f"timedelta64[{shift}]")
    assert import_here(save(tmp_path, t=spans, x=np.arange(60.0)), {}).time_step is not None


def test_matrices_beside_states_are_no_episodes(tmp_path: Path) -> None:
    """Body positions of shape (rows, 3, 3) stood for the states, which were left out."""
    states = np.arange(120.0).reshape(60, 2)
    path = save(tmp_path, qpos=states, xpos=np.zeros((60, 3, 3)), mocap_framerate=50.0)
    found = import_here(path, {}, step=0.02)
    np.testing.assert_array_equal(found.demonstrations().observations, states)
    assert found.demonstrations().episodes == 1


def test_an_array_of_records_is_named(tmp_path: Path) -> None:
    log = np.zeros(20, dtype=[("t", "f8"), ("x", "f8")])
    with pytest.raises(DepoError, match="'log' is an array of records, which is not read: save"):
        import_here(save(tmp_path, log=log), {})


def test_an_archive_of_many_episodes_is_listed_once(tmp_path: Path, monkeypatch) -> None:
    """Its list was read for each of them: three thousand took a minute."""
    path = save(tmp_path, **{f"traj_{i}": np.full((4, 1), float(i)) for i in range(30)})
    opened = []
    monkeypatch.setattr(npz, "_listed", lambda *a, own=npz._listed: opened.append(1) or own(*a))
    assert demos_of(path, {}).episode_lengths.tolist() == [4] * 30
    assert len(opened) < 5


def test_very_many_columns_are_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "MOST_COLUMNS", 20)
    with pytest.raises(DepoError, match="has 21 columns of numbers, at most 20 are read"):
        import_here(save(tmp_path, **{f"a{i}": np.zeros(5) for i in range(21)}), {})
