from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.driving.traffic import Recording
from depo.driving.traffic.preparation import (
    ChoiceSettings,
    PreparationSettings,
    Split,
    choose,
    crosses_zone,
    join,
    prepare,
    split_of,
)
from depo.driving.traffic.scenes import load_scene, make_scene
from tests.support.traffic import recording_of, recordings

ACROSS = np.linspace(-4, 340, 300)
"""A drive over the whole of I-80 in 30 s."""


def drivers(vehicles: int, **more: object) -> Recording:
    """So many vehicles one after the other, far apart."""
    return recording_of([(400 * v, ACROSS, 2.0) for v in range(vehicles)], **more)


@given(recordings(longest=60), st.integers(1, 20), st.integers(0, 3), st.booleans())
def test_tracks_are_cropped_and_smoothed_as_by_hand(
    recording: Recording, smooth: int, trim: int, crop: bool
) -> None:
    settings = PreparationSettings(smooth=smooth, trim=trim, crop=crop, shortest=5)
    expected = []
    for v, track in enumerate(recording):
        front = track.x + recording.length[v]
        inside = (front >= 0) & (front <= recording.road.length) if crop else front < np.inf
        rows = np.flatnonzero(inside)
        rows = np.arange(rows[0], rows[-1] + 1) if len(rows) else rows
        if len(rows) >= max(5, smooth + trim + 1):
            x, y = track.x[rows], track.y[rows]
            means = range(len(rows) - smooth + 1 - trim)
            mean = [(x[i : i + smooth].mean(), y[i : i + smooth].mean()) for i in means]
            expected.append((track.frame[rows[0]], np.array(mean)))
    if not expected:
        with pytest.raises(DepoError, match="no vehicle is left"):
            prepare(recording, settings)
        return
    made = prepare(recording, settings)
    assert made.vehicles == len(expected)
    for track, (first, mean) in zip(made, expected, strict=True):
        assert track.frame[0] == first
        np.testing.assert_allclose(np.stack([track.x, track.y], 1), mean, atol=1e-6)


def test_the_layout_says_how_to_smooth_and_once_is_enough() -> None:
    raw = drivers(3, metadata={"smooth": 15})
    scene = prepare(raw)
    assert scene.metadata["preparation"]["smoothed"] == 15
    again = prepare(scene, PreparationSettings(trim=0, crop=False))
    np.testing.assert_array_equal(again.x, scene.x)


def test_blacklisted_vehicles_are_left_out() -> None:
    raw = drivers(4, original_id=np.array([11, 12, 13, 14]), metadata={"blacklist": [13]})
    scene = prepare(raw, PreparationSettings(blacklist=(11,)))
    assert scene.original_id.tolist() == [12, 14]


def test_only_vehicles_that_cross_the_zone_unharmed_are_chosen() -> None:
    late, parked = (0, ACROSS[60:], 9.0), (0, np.full(300, 200.0), 13.0)
    crash = (0, ACROSS, 13.0)
    through = [(0, ACROSS, 2.0), (0, ACROSS, 5.6), (100, ACROSS, 2.0), (200, ACROSS, 2.0)]
    tracks = [*through, late, parked, crash]
    recording = recording_of(tracks)
    assert crosses_zone(recording).tolist() == [*[True] * 4, False, False, True]
    split = split_of(choose(recording))
    assert sorted([*split.train, *split.validation, *split.test]) == [0, 1, 2, 3]
    before = (0, np.full(300, -10.0), 2.0)
    wider = split_of(choose(recording_of([*tracks[:5], before]), ChoiceSettings(complete=False)))
    assert sorted([*wider.train, *wider.validation, *wider.test]) == [0, 1, 2, 3, 4]
    with pytest.raises(DepoError, match="3 of 3 vehicles cross"):
        choose(drivers(3))
    assert len(split_of(choose(drivers(4))).test) == 1
    with pytest.raises(DepoError, match="vehicles 3: with fewer than 4"):
        ChoiceSettings(vehicles=3)
    with pytest.raises(DepoError, match="shuffle_seed -1 is not between"):
        ChoiceSettings(shuffle_seed=-1)


@given(st.integers(3, 2000))
def test_the_split_is_one_and_its_test_vehicles_do_not_depend_on_the_shares(count: int) -> None:
    ours, theirs = (Split.of(np.arange(count), shares) for shares in ("70/15/15", "85/15"))
    assert ours.test == theirs.test
    assert theirs.validation == ()
    for split in (ours, theirs):
        together = [*split.test, *split.validation, *split.train]
        assert together == list(range(count))
    assert abs(len(ours.train) - 0.7 * count) <= 1
    assert abs(len(ours.test) - 0.15 * count) <= 1


def test_the_choice_is_the_authors_shuffle() -> None:
    scene = drivers(40)
    order = np.arange(40)
    np.random.RandomState(123).shuffle(order)
    split = split_of(choose(scene, ChoiceSettings(vehicles=20, shares="85/15")))
    assert [*split.test, *split.train] == order[:20].tolist()
    other = split_of(choose(scene, ChoiceSettings(vehicles=20, shuffle_seed=1)))
    assert set(other.test) != set(split.test)


def test_recordings_that_are_joined_never_meet() -> None:
    first, second = drivers(3, name="a"), drivers(3, name="b")
    scene = make_scene([first, second])
    assert scene.vehicles == 6
    ends = scene.first_frame + scene.durations
    assert scene.first_frame[3:].min() - ends[:3].max() > 500
    assert [part["name"] for part in scene.metadata["recordings"]] == ["a", "b"]
    with pytest.raises(DepoError, match="different roads"):
        join([first, replace(second, time_step=0.5)])


def test_a_scene_keeps_its_split(tmp_path) -> None:
    scene = make_scene([drivers(10)])
    again = load_scene(scene.save(tmp_path / "scene.npz"))
    assert split_of(again) == split_of(scene)
    with pytest.raises(DepoError, match="says nothing of train"):
        split_of(drivers(3))
    wrong = replace(scene, metadata={"split": {"train": [0], "validation": [0], "test": [1]}})
    with pytest.raises(DepoError, match="twice"):
        split_of(wrong)
