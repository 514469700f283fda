from __future__ import annotations

import io
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.data import Demonstrations, load_demonstrations, shipped
from tests.support.demonstrations import demonstrations

SHARED = Path(__file__).parents[3] / "shared" / "demos"


@given(demonstrations())
def test_a_saved_file_reads_back_the_same(tmp_path_factory: pytest.TempPathFactory, demos) -> None:
    path = demos.save(tmp_path_factory.mktemp("demos") / "some.npz")
    again = Demonstrations.load(path)
    for name in ("observations", "episode_lengths", "actions", "episode_returns"):
        first, second = getattr(demos, name), getattr(again, name)
        assert (first is None) == (second is None)
        if first is not None:
            np.testing.assert_array_equal(first, second)
            assert first.dtype == second.dtype
    assert again.metadata == demos.metadata
    assert again.feature_names == demos.feature_names


@given(demonstrations())
def test_transitions_never_cross_an_episode(demos: Demonstrations) -> None:
    states, following = demos.transitions()
    by_hand = [(a, b) for e in demos for a, b in pairwise(e)]
    assert len(states) == len(following) == len(by_hand)
    for (s, n), (a, b) in zip(zip(states, following, strict=True), by_hand, strict=True):
        np.testing.assert_array_equal(s, a)
        np.testing.assert_array_equal(n, b)


@given(demonstrations(), st.data())
def test_selecting_episodes_keeps_what_belongs_together(demos: Demonstrations, data) -> None:
    numbers = st.integers(0, demos.episodes - 1)
    chosen = data.draw(st.lists(numbers, min_size=1, max_size=3))
    part = demos.select(chosen)
    episodes = list(demos)
    for i, episode in zip(chosen, part, strict=True):
        np.testing.assert_array_equal(episodes[i], episode)


def test_arrays_cannot_be_changed() -> None:
    demos = Demonstrations.from_episodes([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        demos.observations[0] = 5


GOOD = {"observations": np.zeros((4, 2), np.float32), "episode_lengths": np.array([2, 2])}
BAD = {
    "nan": (
        {"observations": np.array([[0, np.nan], [1, 1], [1, 1], [1, 1]])},
        "episode 0, step 0, 's1'",
    ),
    "infinite": ({"observations": np.full((4, 2), np.inf)}, "8 NaN or infinite"),
    "too large": ({"observations": np.full((4, 2), 1e300)}, "float32"),
    "rank": ({"observations": np.zeros((4, 2, 2))}, "rank 3"),
    "dtype": ({"observations": np.array(["a"] * 4)}, "dtype <U1"),
    "complex": ({"observations": np.zeros((4, 2), complex)}, "dtype complex128"),
    "boolean": ({"observations": np.zeros(4, bool)}, "dtype bool"),
    "no dimension": ({"observations": np.zeros((4, 0))}, "no dimension"),
    "negative state": ({"observations": np.array([0, -1, 0, 0])}, "found -1"),
    "lengths do not add up": ({"episode_lengths": np.array([2, 3])}, "add up to 5"),
    "negative length": ({"episode_lengths": np.array([6, -2])}, "episode 1 has length -2"),
    "one-state episode": ({"episode_lengths": np.array([3, 1])}, "episode 1 has length 1"),
    "empty episode": ({"episode_lengths": np.array([4, 0])}, "at least two states"),
    "no episode": (
        {"observations": np.zeros((0, 2)), "episode_lengths": np.zeros(0, int)},
        "no episodes",
    ),
    "fractional lengths": ({"episode_lengths": np.array([2.0, 2.0])}, "whole numbers"),
    "overflowing lengths": (
        {"episode_lengths": np.array([2**62, 2**62, 2**62, 2**62 + 4])},
        "add up to",
    ),
    "returns": ({"episode_returns": np.zeros(3)}, "each of the 2 episodes"),
    "nan return": ({"episode_returns": np.array([1.0, np.nan])}, "has nan for episode 1"),
    "too few actions": ({"actions": np.zeros((2, 1))}, "one action for each state"),
    "nan action": ({"actions": np.full((4, 1), np.nan)}, "actions contain NaN"),
    "names": ({"metadata": np.array('{"feature_names": ["x"]}')}, "1 feature names for 2"),
    "metadata": ({"metadata": np.array("{not json")}, "metadata is not readable JSON"),
    "names of numbers": (
        {"metadata": np.array('{"feature_names": [1, 2]}')},
        "feature_names: [0] 1 is not a text",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_one_sentence(tmp_path: Path, name: str) -> None:
    changes, expected = BAD[name]
    path = tmp_path / "bad.npz"
    np.savez(path, **(GOOD | changes))
    with pytest.raises(DepoError) as error:
        Demonstrations.load(path)
    assert expected in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("episodes", "message"),
    [
        ([], "no episodes"),
        ([1, 2], "episode 0 has length 1"),
        ([[0, 1], []], "episode 1 has length 0"),
        ([[[0.0, 1.0], [2.0]], [[0.0, 1.0]]], "no array of states"),
    ],
)
def test_what_is_no_episode_is_refused(episodes: list, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        Demonstrations.from_episodes(episodes)
    two = Demonstrations.from_episodes([[0, 1], [2, 3]])
    with pytest.raises(DepoError, match="no episodes"):
        two.select([])


@pytest.mark.parametrize(
    ("value", "message"),
    [(print, "print> cannot be written"), (float("nan"), "metadata: a.hz nan is not a finite")],
)
def test_metadata_are_plain_data(tmp_path: Path, value: object, message: str) -> None:
    odd = Demonstrations.from_episodes([[0, 1]], metadata={"a": {"hz": value}})
    with pytest.raises(DepoError, match=message):
        odd.save(tmp_path / "nowhere.npz")
    assert not list(tmp_path.iterdir())
    fine = Demonstrations.from_episodes([[0, 1]], metadata={"hz": np.float32(5), "to": (1, 2)})
    assert Demonstrations.load(fine.save(tmp_path / "a.npz")).metadata == {"hz": 5, "to": [1, 2]}


def test_object_arrays_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "objects.npz"
    np.savez(path, observations=np.array([[1], [2, 3]], dtype=object), episode_lengths=[2])
    with pytest.raises(DepoError, match="never loads"):
        Demonstrations.load(path)


def test_missing_arrays_are_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", states=np.zeros((2, 2)))
    with pytest.raises(DepoError, match=r"no array 'episode_lengths'.*found: states"):
        Demonstrations.load(tmp_path / "a.npz")


def test_files_that_are_no_npz_are_refused(tmp_path: Path) -> None:
    text, array, folder = tmp_path / "a.npz", tmp_path / "b.npz", tmp_path / "c"
    text.write_text("hello")
    with array.open("wb") as file:
        np.save(file, np.zeros(3))
    folder.mkdir()
    for path in (text, array, folder, tmp_path / "absent.npz"):
        with pytest.raises(DepoError):
            Demonstrations.load(path)


@given(st.data())
def test_a_truncated_or_damaged_file_is_refused_or_reads_right(tmp_path_factory, data) -> None:
    demos = Demonstrations.from_episodes([np.arange(30), np.arange(5)])
    path = tmp_path_factory.mktemp("cut") / "cut.npz"
    whole = demos.save(path).read_bytes()
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    if damaged and data.draw(st.booleans()):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 0xFF
    path.write_bytes(bytes(damaged))
    try:
        again = Demonstrations.load(path)
    except DepoError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:  # zip keeps bytes that nothing reads
        np.testing.assert_array_equal(again.observations, demos.observations)


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch) -> None:
    path = Demonstrations.from_episodes([[0, 1]]).save(tmp_path / "a.npz")
    before = path.read_bytes()

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(DepoError, match="No space left"):
        Demonstrations.from_episodes([[0, 1, 2]]).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "least"),
    [("inverted-pendulum", 1000), ("hopper", 3200), ("half-cheetah", 8000), ("walker2d", 4000)],
)
def test_shipped_experts_are_good(name: str, least: float) -> None:
    demos = load_demonstrations(name)
    assert demos.episodes >= 8
    assert demos.actions is None
    assert demos.episode_returns is not None
    assert demos.episode_returns.mean() >= least


def test_shipped_sets_load() -> None:
    assert "gridworld" in shipped()
    for name in shipped():
        assert load_demonstrations(name).episodes > 0
    path = [int(s) for s in next(iter(load_demonstrations("gridworld")))]
    assert path == [0, 1, 7, 8, 14, 15, 21, 22, 28, 29, 35]


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(DepoError, match="did you mean 'gridworld'"):
        load_demonstrations("gridwold")


def test_recordings_of_other_people_load() -> None:
    files = sorted(SHARED.glob("*.npz"))
    if not files:
        pytest.skip(f"no recordings beside the project: ../shared/{SHARED.name} is absent")
    for file in files:
        demos = Demonstrations.load(file)
        assert not demos.is_finite
        assert demos.actions is None
        assert demos.episode_returns is not None


def test_the_file_is_plain_numpy(tmp_path: Path) -> None:
    path = Demonstrations.from_episodes([[0, 1, 2]]).save(tmp_path / "a.npz")
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def test_they_are_shown_in_a_line() -> None:
    demos = Demonstrations.from_episodes(
        [np.zeros((1001, 6)), np.zeros((3, 6))],
        feature_names=("x", "y", "z", "vx", "vy", "vz"),
        metadata={"environment": "Mine-v0", "source": "an expert"},
    )
    line = "2 episodes, 1,002 steps, 6 features (x, y, z, vx, …), from an expert"
    assert repr(demos) == f"Demonstrations({line})"
    assert len(repr(load_demonstrations("gridworld"))) < 200


def test_episodes_are_given_with_their_returns() -> None:
    demos = Demonstrations.from_episodes([[0, 1], [1, 2, 3]], episode_returns=[1.0, -2.5])
    assert demos.episode_returns is not None
    assert demos.episode_returns.tolist() == [1.0, -2.5]
    with pytest.raises(DepoError, match="one number for each of the 2 episodes"):
        Demonstrations.from_episodes([[0, 1], [1, 2, 3]], episode_returns=[1.0])
