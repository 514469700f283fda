"""Whole imports of known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from depo.core.errors import DepoError
from depo.data import Demonstrations
from depo.data.importing.pipeline import ImportSettings, import_files
from depo.data.importing.target import Target
from tests.support.demonstrations import demonstrations
from tests.support.recordings import demos_of, import_here, write_csv

TIME = np.arange(101) * 10
HIP = 30 * np.sin(TIME / 200)


def log(path: Path, **more: Any) -> Path:
    """A second of two joints at 100 Hz, in degrees and milliseconds."""
    return write_csv(path, {"Time [ms]": TIME, "hip [deg]": HIP, "x [mm]": 2.0 * TIME}, ";", **more)


def test_a_folder_of_logs(tmp_path: Path) -> None:
    for number in (10, 2):
        log(tmp_path / f"walk_{number}.csv", decimal=",", end="\n\n\n")
    found = import_here(tmp_path, {"shortest": 10})
    assert [Path(report.file).name for report in found.reports] == ["walk_2.csv", "walk_10.csv"]
    demos = found.demonstrations()
    assert demos.feature_names == ("hip", "x")
    assert demos.episode_lengths.tolist() == [101, 101]
    np.testing.assert_allclose(demos.observations[:101, 0], np.deg2rad(HIP), atol=1e-6)
    np.testing.assert_allclose(demos.observations[:101, 1], 0.002 * TIME, atol=1e-6)
    assert demos.metadata["time_step"] == pytest.approx(0.01)
    assert found.reports[0].recorded_hz == pytest.approx(100)


def test_resampled_to_a_step_with_velocities(tmp_path: Path) -> None:
    path = log(tmp_path / "a.csv")
    demos = demos_of(path, {"velocities": True}, step=0.04, target=Target("Mine-v0", 4))
    assert demos.feature_names == ("hip", "x", "hip_velocity", "x_velocity")
    assert demos.metadata["environment"] == "Mine-v0"
    at = np.arange(26) * 0.04
    np.testing.assert_allclose(
        demos.observations[:, 0], np.deg2rad(30 * np.sin(at / 0.2)), atol=1e-5
    )
    np.testing.assert_allclose(demos.observations[:, 3], 2.0, atol=1e-4)
    slope = np.deg2rad(30) * np.cos(at / 0.2) / 0.2
    np.testing.assert_allclose(demos.observations[1:-1, 2], slope[1:-1], atol=0.03)


def test_missing_values_are_interpolated_or_cut_by_the_rule(tmp_path: Path) -> None:
    x = [str(0.5 * i) for i in range(60)]
    x[10] = x[11] = "nan"  # three steps: interpolated
    x[30:40] = [""] * 10  # eleven: cut
    x[55] = "ERR"
    time = [i * 0.1 for i in range(60)]
    time[50:] = [t + 7 for t in time[50:]]
    path = write_csv(tmp_path / "a.csv", {"t": time, "x": x, "y": [1.0] * 60})
    found = import_here(path, {"max_gap": 0.45, "shortest": 11})
    report, demos = found.reports[0], found.demonstrations()
    assert demos.episode_lengths.tolist() == [30]
    np.testing.assert_allclose(demos.observations[:, 0], 0.5 * np.arange(30))
    assert (report.repaired, report.splits, report.unreadable) == (3, 2, 1)
    assert (report.short_pieces, report.short_states) == (2, 20)
    assert "line 57, column 'x': 'ERR' is no number" in report.notes[0]
    assert [piece.is_kept for piece in report.pieces] == [True, False, False]


def test_episodes_by_a_column_and_by_a_clock_set_back(tmp_path: Path) -> None:
    columns = {"t": [0, 1, 2, 0, 1, 2, 3, 4], "x": np.arange(8.0), "who": list("aaabbbcc")}
    path = write_csv(tmp_path / "a.csv", columns)
    assert demos_of(path, {"time": "t:s", "max_gap": 1}).episode_lengths.tolist() == [3, 5]
    by_who = demos_of(path, {"time": "t:s", "episode": "who"})
    assert by_who.episode_lengths.tolist() == [3, 3, 2]


def test_episodes_that_take_turns_are_refused(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "a.csv", {"t": np.arange(8) * 0.1, "x": [0.0] * 8, "who": list("abababab")}
    )
    with pytest.raises(
        DepoError, match="column 'who' changes from row to row: sort the file by it"
    ):
        import_here(path, {"episode": "who"})


def test_times_without_a_unit_that_step_too_far_are_milliseconds_and_said(
    tmp_path: Path,
) -> None:
    path = write_csv(tmp_path / "a.csv", {"timestamp": TIME, "x": HIP})
    report = import_here(path, {}).reports[0]
    assert report.recorded_hz == pytest.approx(100)
    assert "taken for ms" in report.notes[0]
    assert import_here(path, {"time": "timestamp:s"}).reports[0].recorded_hz == pytest.approx(0.1)


def test_an_angle_that_wraps_goes_on_and_may_be_wrapped_again(tmp_path: Path) -> None:
    turned = (TIME * 0.9) % 360
    path = write_csv(tmp_path / "a.csv", {"t [ms]": TIME, "yaw [deg]": turned})
    demos = demos_of(path, {"columns": ("yaw", "w=yaw:wrapped", "v=yaw:rate")}, step=0.025)
    yaw, wrapped, rate = demos.observations.T
    np.testing.assert_allclose(np.diff(yaw), np.deg2rad(22.5), atol=1e-4)
    np.testing.assert_allclose(np.sin(yaw - wrapped), 0, atol=1e-4)
    assert np.abs(wrapped).max() <= np.pi + 1e-6
    np.testing.assert_allclose(rate, np.deg2rad(900), rtol=1e-4)


def test_rows_without_a_time(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"x": HIP, "y": HIP})
    assert demos_of(path, {}).episode_lengths.tolist() == [101]
    assert "time_step" not in demos_of(path, {}).metadata
    assert len(demos_of(path, {"recorded_hz": 100.0}, step=0.05).observations) == 21
    with pytest.raises(DepoError, match=r"a.csv has no column of times: name it by --time"):
        import_here(path, {}, step=0.05)
    with pytest.raises(DepoError, match=r"a.csv has no time, which velocities need"):
        import_here(path, {"velocities": True})


def test_finite_states(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"episode": [0, 0, 0, 1, 1], "cell": [0, 1, 2, 5, 6]})
    demos = demos_of(path, {"finite": True})
    assert demos.is_finite
    assert [episode.tolist() for episode in demos] == [[0, 1, 2], [5, 6]]
    path = write_csv(tmp_path / "b.csv", {"cell": [0, 1, 2.5], "episode": [0, 0, 0]})
    said = r"b.csv: episode 0, step 2, 'cell' is 2.5, finite states are whole numbers"
    with pytest.raises(DepoError, match=said):
        import_here(path, {"finite": True})


@settings(max_examples=12)
@given(demonstrations())
def test_what_was_exported_comes_back(
    tmp_path_factory: pytest.TempPathFactory, demos: Demonstrations
) -> None:
    """As .npz, and as a table with a column that tells episodes apart."""
    folder = tmp_path_factory.mktemp("a")
    again = demos_of(demos.save(folder / "own.npz"), {})
    same(again, demos)
    labels = np.repeat(np.arange(demos.episodes), demos.episode_lengths)
    states = demos.observations.reshape(len(labels), -1)
    columns = {f"f{i}": states[:, i] for i in range(states.shape[1])}
    path = write_csv(folder / "a.csv", {"episode": labels, **columns})
    same(demos_of(path, {"finite": demos.is_finite}), demos)


def same(one: Demonstrations, other: Demonstrations) -> None:
    np.testing.assert_array_equal(one.observations, other.observations)
    np.testing.assert_array_equal(one.episode_lengths, other.episode_lengths)
    assert one.is_finite == other.is_finite


def test_files_must_give_the_same_features_whatever_their_units_and_order(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", {"t": [0.0, 0.1, 0.2], "x [m]": [1.0, 2, 3], "y": [0.0, 0, 0]})
    write_csv(
        tmp_path / "b.csv", {"y": [0.0, 0, 0], "t": [0.0, 0.1, 0.2], "x [mm]": [1e3, 2e3, 3e3]}
    )
    demos = demos_of(tmp_path, {})
    assert demos.feature_names == ("x", "y")
    first, second = demos
    np.testing.assert_allclose(first, second)
    write_csv(tmp_path / "c.csv", {"t": [0.0, 0.1, 0.2], "z": [1.0, 2, 3]})
    with pytest.raises(DepoError, match=r"c.csv: unknown column 'x'"):
        import_here(tmp_path, {})
    found = import_here(tmp_path, {"skip_unreadable": True})
    assert "left out: " in found.reports[0].notes[0]
    assert found.demonstrations().episodes == 2


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        ({}, {"target": Target("E", 4)}, "E has states of 4 numbers, the recordings"),
        ({}, {"target": Target("E", 4)}, "give 2 (hip, x): choose and order them by"),
        ({}, {"target": Target("E", 4)}, "--columns, or add --velocities"),
        ({"shortest": 500}, {}, "no episode of 500 or more states in 1 file (101 rows, 1 shorter"),
        ({"max_gap": 0.001}, {}, "--max-gap 0.001 is shorter than the 0.01 from row to row of"),
        ({"columns": ("hpi",)}, {}, "unknown column 'hpi': did you mean"),
        ({"time": "x:mm"}, {}, "'mm' is no unit of time"),
        ({"finite": True}, {}, "finite states are one column, 2 were chosen"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(
    tmp_path: Path, given: dict[str, Any], more: dict[str, Any], said: str
) -> None:
    path = log(tmp_path / "a.csv")
    with pytest.raises(DepoError) as refused:
        import_here(path, given, **more)
    assert said in str(refused.value)
    assert not list(tmp_path.glob("out/*"))


def test_a_number_too_large_is_named_with_its_place(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"t": [0.0, 0.1, 0.2], "x": [1.0, 1e300, 1.0]})
    with pytest.raises(DepoError, match=r"a.csv: episode 0, step 1, 'x' is 1e\+300"):
        import_here(path, {})


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(DepoError, match="leave --hz and --velocities out"):
        ImportSettings(finite=True, hz=10.0)
    with pytest.raises(DepoError, match="shortest"):
        ImportSettings(shortest=1)
    with pytest.raises(DepoError, match=r"does not end in .npz"):
        import_files([tmp_path], tmp_path / "a.csv")


def test_gaps_below_one_state_cut_nothing(tmp_path: Path) -> None:
    time = np.delete(np.arange(1001) * 0.001, slice(500, 510))  # ten of a thousand rows a second
    path = write_csv(tmp_path / "a.csv", {"time [s]": time, "x": time})
    demos = demos_of(path, {}, step=0.02)
    assert demos.episode_lengths.tolist() == [51]
    np.testing.assert_allclose(demos.observations[:, 0], np.arange(51) * 0.02, atol=1e-6)
    assert len(demos_of(path, {"max_gap": 0.005}, step=0.02).episode_lengths) == 2
