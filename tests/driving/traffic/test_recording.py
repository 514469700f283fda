from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.codec import decode, encode
from depo.core.errors import DepoError
from depo.driving.traffic import Recording, Road
from depo.driving.traffic.packing import pack, unpack
from depo.driving.traffic.recording import RESOLUTION
from tests.support.traffic import recording_of, recordings, same


@given(recordings())
def test_a_saved_file_reads_back_to_its_resolution(tmp_path_factory, recording: Recording) -> None:
    path = recording.save(tmp_path_factory.mktemp("r") / "r.npz")
    again = Recording.load(path)
    same(recording, again, RESOLUTION / 2 + 1e-9)
    assert again.road == recording.road
    assert (again.name, again.time_step) == (recording.name, recording.time_step)
    twice = Recording.load(again.save(path))
    same(again, twice, 1e-9)


@given(
    st.lists(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=5), min_size=1),
    st.integers(1, 3),
)
def test_packing_loses_nothing(tracks: list[list[int]], order: int) -> None:
    rows = np.concatenate([np.array(track) for track in tracks])
    begin = np.concatenate([[0], np.cumsum([len(track) for track in tracks])])
    start, changes = pack(rows, begin, order)
    np.testing.assert_array_equal(unpack(start, changes, begin, order), rows)


@given(recordings())
def test_rows_are_found_by_vehicle_and_frame(recording: Recording) -> None:
    for v, track in enumerate(recording):
        rows = recording.begin[v] + track.frame - recording.first_frame[v]
        np.testing.assert_array_equal(recording.x[rows], track.x)
        np.testing.assert_array_equal(recording.frame[rows], track.frame)
        assert set(recording.vehicle[rows].tolist()) == {v}
    first, end = recording.frames
    assert recording.frame.min() == first
    assert recording.frame.max() == end - 1


GOOD = recording_of([(1, [0.0, 1.0], 2.0), (2, [30.0, 31.0, 32.0], 6.0)])
BAD = {
    "nan": ({"x": np.array([0.0, np.nan, 1, 2, 3])}, "NaN"),
    "no length": ({"length": np.array([4.0, 0.0])}, "vehicle 1 has length 0.0"),
    "infinite width": ({"width": np.array([np.inf, 2.0])}, "vehicle 0 has width inf"),
    "too few rows": ({"y": np.zeros(4)}, "'y' has not one number for each of the 5 rows"),
    "too few vehicles": ({"first_frame": np.array([1])}, "'first_frame'"),
    "empty vehicle": ({"begin": np.array([0, 5, 5])}, "vehicle 1 has no rows"),
    "cut short": ({"begin": np.array([0, 2, 4])}, "number of rows"),
    "time": ({"time_step": 0.0}, "time step 0.0"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_recording_is_refused_with_one_sentence(name: str) -> None:
    changes, expected = BAD[name]
    with pytest.raises(DepoError, match=expected.replace("'", ".")) as error:
        replace(GOOD, **changes)
    assert "\n" not in str(error.value)


def test_arrays_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        GOOD.x[0] = 5


def test_files_that_are_no_recording_are_refused(tmp_path: Path) -> None:
    other, later = tmp_path / "other.npz", GOOD.save(tmp_path / "later.npz")
    np.savez(other, observations=np.zeros((3, 2)))
    with pytest.raises(DepoError, match="no traffic recording"):
        Recording.load(other)
    with np.load(later) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    np.savez(later, **(arrays | {"about": np.array(json.dumps(about | {"version": 99}))}))
    with pytest.raises(DepoError, match="version 99"):
        Recording.load(later)
    np.savez(later, **(arrays | {"x": arrays["x"][:-1]}))
    with pytest.raises(DepoError, match=str(later)):
        Recording.load(later)


def test_i80_is_what_the_authors_counted_in_pixels() -> None:
    road, pixel = Road.i80(), 3.7 / 24
    assert road.length == pytest.approx(2040 * pixel)
    assert road.zone == pytest.approx((234.23 * pixel, 1630.09 * pixel), abs=0.01)
    for x in (0.0, 500.0, 1600.0):
        limit = (180 - 36 + 53 - 0.035 * x) * pixel
        assert not road.off_road(x * pixel, limit - 0.01)
        assert road.off_road(x * pixel, limit + 0.01)
    assert road.off_road(0.0, -0.01)
    assert road == decode(Road, json.loads(json.dumps(encode(road))), "road")


def test_a_zone_off_the_road_is_refused() -> None:
    with pytest.raises(DepoError, match="valid zone"):
        Road(length=50, lanes=2, lane_width=3.5, zone=(10, 60))


STRANGE = {
    "a giant track": ("begin", np.array([0, 2**40]), "does not run from 0"),
    "backwards": ("begin", np.array([3, 0]), "does not run from 0"),
    "a number for rows": ("x", np.zeros(3), "'x' is not a list of whole numbers"),
    "too few": ("x_start", np.zeros(0, int), "'x_start' has 0 numbers, not 1"),
    "far away": ("x_start", np.array([2**60]), "beyond"),
    "a late frame": ("first_frame", np.array([2**60]), "beyond"),
    "a ninth lane": ("lane_start", np.array([9]), "'lane' is not from −1 to 6"),
    "an unknown kind": ("kind", np.array([300]), "'kind' holds numbers that are no int8"),
    "below zero": ("length", np.array([-900]), "sizes must be positive"),
    "a long one": ("length", np.array([10**6]), "'length' holds numbers beyond 1,000 m"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_arrays_that_no_recording_has_are_refused(tmp_path: Path, name: str) -> None:
    column, values, message = STRANGE[name]
    path = recording_of([(0, [0.0, 1.0, 2.0], 2.0)]).save(tmp_path / "a.npz")
    with np.load(path) as file:
        np.savez(path, **(dict(file) | {column: values}))
    with pytest.raises(DepoError, match=message):
        Recording.load(path)


def test_recordings_that_would_fill_the_memory_are_refused() -> None:
    with pytest.raises(DepoError, match="frames are more than the 1,048,576 of one recording"):
        recording_of([(0, [0.0, 1.0], 2.0), (2**40, [0.0, 1.0], 2.0)])
    with pytest.raises(DepoError, match="6,000 vehicles in one frame"):
        recording_of([(0, [0.0, 1.0], 2.0)] * 6_000)
