from __future__ import annotations

import json
import os
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import gymnasium as gym
import minari
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from minari.data_collector import EpisodeBuffer

from depo.core.errors import DepoError
from depo.data import Demonstrations, load_demonstrations, minari_datasets
from depo.data.minari_datasets import from_minari, to_minari
from depo.data.minari_format import read_mark
from tests.support.child import without_child
from tests.support.command import call
from tests.support.demonstrations import demonstrations

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:minari")  # it recommends an author, …

FINITE = Demonstrations.from_episodes([[0, 1, 2], [3, 4]], feature_names=["cell"])
VECTORS = Demonstrations.from_episodes([np.eye(4), np.ones((2, 4))])


def step(**more: Any) -> Demonstrations:
    return Demonstrations(np.array([0, 1]), np.array([2]), **more)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child for every dataset would take most of the time."""
    if "real_child" not in request.keywords:
        monkeypatch.setattr(minari_datasets, "in_child", without_child)


def somebodys(dataset_id: str, observations: spaces.Space, actions: spaces.Space) -> None:
    """Two random episodes of three and two steps, each step rewarded with 1, written by Minari."""
    buffers = [
        EpisodeBuffer(
            observations=_batch([observations.sample() for _ in range(steps + 1)]),
            actions=_batch([actions.sample() for _ in range(steps)]),
            rewards=[1.0] * steps,
            terminations=[False] * steps,
            truncations=[False] * steps,
        )
        for steps in (3, 2)
    ]
    minari.create_dataset_from_buffers(
        dataset_id,
        buffers,
        observation_space=observations,
        action_space=actions,
        author="somebody",
        algorithm_name="chance",
    )


def _batch(samples: list[Any]) -> Any:
    if isinstance(samples[0], dict):
        return {key: [sample[key] for sample in samples] for key in samples[0]}
    return tuple(map(list, zip(*samples, strict=True))) if type(samples[0]) is tuple else samples


@given(demonstrations())
def test_what_is_exported_comes_back(tmp_path_factory: pytest.TempPathFactory, demos) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINARI_DATASETS_PATH", str(tmp_path_factory.mktemp("minari")))
        to_minari(demos, "some/demos-v0")
        again = from_minari("some/demos-v0", keep_actions=demos.actions is not None)
    for name in ("observations", "episode_lengths", "episode_returns"):
        np.testing.assert_array_equal(getattr(demos, name), getattr(again, name))
    assert again.feature_names == demos.feature_names
    assert again.metadata.items() >= demos.metadata.items()
    if demos.actions is None:
        assert again.actions is None
    else:  # the last action of an episode leads nowhere: Minari does not keep it
        acted = np.ones(len(demos.actions), bool)
        acted[np.cumsum(demos.episode_lengths) - 1] = False
        np.testing.assert_array_equal(again.actions[acted], demos.actions[acted])
        np.testing.assert_array_equal(again.actions[~acted], again.actions[np.roll(~acted, -1)])


@pytest.mark.parametrize(
    "actions",
    [
        np.arange(5),
        -np.arange(5),
        np.linspace(0, 1, 5),
        np.arange(10, dtype=np.uint8).reshape(5, 2),
        np.zeros((5, 1), np.float32),
    ],
    ids=["numbered", "whole", "scalar", "counted", "vector"],
)
def test_actions_of_any_kind_keep_their_type(actions: np.ndarray) -> None:
    demos = Demonstrations(FINITE.observations, FINITE.episode_lengths, actions=actions)
    to_minari(demos, "acted-v0")
    again = from_minari("acted-v0", keep_actions=True)
    np.testing.assert_array_equal(again.actions[[0, 1, 3]], actions[[0, 1, 3]])
    assert again.actions.dtype == actions.dtype


@pytest.mark.parametrize(
    ("demos", "env"),
    [(FINITE, "FrozenLake-v1"), (VECTORS, "CartPole-v1"), (load_demonstrations("gridworld"), None)],
    ids=["finite", "vectors", "made"],
)
def test_an_environment_gives_the_spaces_and_can_be_recovered(demos, env: str | None) -> None:
    with gym.make(env or "depo/GridWorld-v0", **({} if env else {"k": 2})) as made:
        to_minari(demos, "here-v0", env=env or made)
        data = minari.load_dataset("here-v0")
        assert data.observation_space == made.observation_space
        assert data.action_space == made.action_space
        assert data.recover_environment().action_space == made.action_space
        assert all(action in made.action_space for action in data[0].actions)
        assert from_minari("here-v0").metadata["environment"] == made.spec.id


def test_what_was_not_recorded_is_marked_and_does_not_come_back() -> None:
    folder = to_minari(FINITE, "bare-v0")
    data = minari.load_dataset("bare-v0")
    about = json.loads((folder / "data" / "metadata.json").read_text())
    assert "Actions are not recorded: zeros." in about["description"]
    assert "Rewards of steps are not recorded: zeros." in about["description"]
    assert data.action_space == spaces.Discrete(1)
    assert [episode.actions.tolist() for episode in data] == [[0, 0], [0]]
    assert [episode.truncations.tolist() for episode in data] == [[False, True], [True]]
    assert not any(episode.terminations.any() for episode in data)
    assert from_minari("bare-v0").episode_returns is None
    with pytest.raises(DepoError, match="its actions are zeros, none were recorded"):
        from_minari("bare-v0", keep_actions=True)


def test_zeros_are_actions_of_the_space() -> None:
    to_minari(step(), "far-v0", env=Far())
    assert minari.load_dataset("far-v0")[0].actions.tolist() == [[1.0, 0.0]]


def test_returns_are_in_the_last_step() -> None:
    lengths, returns = FINITE.episode_lengths, np.array([5.0, -0.1])
    to_minari(Demonstrations(FINITE.observations, lengths, episode_returns=returns), "paid-v0")
    rewards = [episode.rewards.tolist() for episode in minari.load_dataset("paid-v0")]
    assert rewards == [[0.0, 5.0], [-0.1]]


@pytest.mark.parametrize(
    ("observations", "dtype"),
    [
        (spaces.Discrete(5), np.int32),
        (spaces.Box(-1, 1, (3,), np.float64), np.float32),
        (spaces.Box(0, 255, (3,), np.uint8), np.float32),
    ],
    ids=["finite", "vectors", "whole vectors"],
)
@pytest.mark.parametrize(
    "actions",
    [spaces.Discrete(3), spaces.Box(-1, 1, (2,)), spaces.MultiDiscrete([2, 3])],
    ids=["numbered", "vectors", "multi"],
)
def test_a_dataset_of_somebody_else_is_read(observations, dtype, actions) -> None:
    somebodys("group/theirs-v3", observations, actions)
    data = minari.load_dataset("group/theirs-v3")
    demos = from_minari("group/theirs-v3")
    assert demos.actions is None
    assert demos.observations.dtype == dtype
    assert demos.episode_lengths.tolist() == [4, 3]
    assert demos.episode_returns.tolist() == [3.0, 2.0]
    for episode, states in zip(data, demos, strict=True):
        np.testing.assert_allclose(episode.observations, states, rtol=1e-6)
    kept = from_minari("group/theirs-v3", keep_actions=True).actions
    theirs = [data[0].actions, data[0].actions[-1:], data[1].actions, data[1].actions[-1:]]
    np.testing.assert_array_equal(kept, np.concatenate(theirs))


def test_the_origin_is_carried_over(tmp_path: Path) -> None:
    env = minari.DataCollector(gym.make("FrozenLake-v1", is_slippery=False))
    env.reset(seed=0)
    for action in (2, 2, 1, 1):
        env.step(action)
    env.create_dataset("lake-v0", author="somebody", algorithm_name="by hand")
    demos = from_minari("lake-v0")
    assert demos.observations.tolist() == [0, 1, 2, 6, 10]
    assert demos.metadata["environment"] == "FrozenLake-v1"
    assert demos.metadata["environment_arguments"]["is_slippery"] is False
    assert demos.metadata["source"] == "Minari dataset lake-v0"
    assert demos.metadata["minari"]["author"] == ["somebody"]
    assert Demonstrations.load(demos.save(tmp_path / "a.npz")).metadata == demos.metadata
    to_minari(demos, "lake-v1")
    assert from_minari("lake-v1").metadata == demos.metadata


def test_the_first_episodes_can_be_taken() -> None:
    to_minari(FINITE, "two-v0")
    assert from_minari("two-v0", episodes=1).observations.tolist() == [0, 1, 2]
    for wrong in (0, 3, -1):
        with pytest.raises(DepoError, match=f"{wrong} of its 2 episodes"):
            from_minari("two-v0", episodes=wrong)


def test_a_dataset_is_found_by_its_folder(root: Path, monkeypatch, tmp_path: Path) -> None:
    folder = to_minari(FINITE, "group/here-v0")
    assert folder == root / "group" / "here-v0"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "elsewhere"))
    for path in (folder, str(folder), folder / "data"):
        np.testing.assert_array_equal(from_minari(path).observations, FINITE.observations)


def test_a_missing_dataset_is_never_downloaded(root: Path, monkeypatch) -> None:
    monkeypatch.setattr("minari.storage.hosting.download_dataset", pytest.fail)
    with pytest.raises(DepoError, match="'minari download D4RL/door/human-v2'") as error:
        from_minari("D4RL/door/human-v2")
    assert str(root) in str(error.value)


@pytest.mark.parametrize(
    "space",
    [
        spaces.Dict({"a": spaces.Discrete(2), "b": spaces.Box(0, 1, (2,))}),
        spaces.Tuple((spaces.Discrete(2), spaces.Discrete(3))),
        spaces.Box(0, 255, (4, 4, 3), np.uint8),
        spaces.Box(0, 1, ()),
        spaces.MultiDiscrete([2, 3]),
    ],
    ids=["dict", "tuple", "image", "scalar", "multi"],
)
def test_other_observation_spaces_are_refused_with_one_sentence(space: spaces.Space) -> None:
    somebodys("odd-v0", space, spaces.Discrete(2))
    with pytest.raises(DepoError, match="'odd-v0': the observation space is") as error:
        from_minari("odd-v0")
    assert type(space).__name__ in str(error.value)
    assert "\n" not in str(error.value)


def test_actions_that_are_no_vectors_can_only_be_dropped() -> None:
    somebodys("odd-v0", spaces.Discrete(5), spaces.Dict({"a": spaces.Discrete(2)}))
    assert from_minari("odd-v0").actions is None
    with pytest.raises(DepoError, match="do not keep the actions"):
        from_minari("odd-v0", keep_actions=True)


def test_damaged_datasets_are_refused(root: Path) -> None:
    data = to_minari(FINITE, "cut-v0") / "data"
    about = json.loads((data / "metadata.json").read_text())
    for changes, expected in [
        ({"depo": []}, "'depo' in its metadata.json"),
        ({"depo": {"feature_names": 3}}, "feature_names 3 is not a list, each a text"),
        ({"depo": {"feature_names": ["x", "y"]}}, "2 feature names for 1"),
        ({"minari_version": "99"}, "does not support"),
        ({"total_episodes": 9}, "cannot be read"),
        ({"total_episodes": 0}, "0 of its 0 episodes"),
    ]:
        (data / "metadata.json").write_text(json.dumps(about | changes))
        with pytest.raises(DepoError, match="Minari dataset 'cut-v0'") as error:
            from_minari("cut-v0")
        assert expected in str(error.value)
    (data / "metadata.json").write_text(json.dumps(about))
    (data / "main_data.hdf5").write_bytes(b"cut")
    with pytest.raises(DepoError, match="cannot be read: OSError"):
        from_minari("cut-v0")


def test_values_that_are_not_of_their_space_are_refused() -> None:
    data = to_minari(VECTORS, "odd-v0") / "data"
    about = json.loads((data / "metadata.json").read_text())
    space = json.loads(about["observation_space"])
    about["observation_space"] = json.dumps(space | {"shape": [2], "low": [0, 0], "high": [1, 1]})
    (data / "metadata.json").write_text(json.dumps(about))
    with pytest.raises(DepoError, match=r"values of shape \(4,\) are not of its space Box"):
        from_minari("odd-v0")


def test_reading_never_makes_an_environment(monkeypatch) -> None:
    data = to_minari(FINITE, "trap-v0", env="FrozenLake-v1") / "data"
    about = json.loads((data / "metadata.json").read_text())
    monkeypatch.setattr("gymnasium.make", pytest.fail)
    from_minari("trap-v0")
    del about["action_space"]
    (data / "metadata.json").write_text(json.dumps(about))
    with pytest.raises(DepoError, match="spaces are not written down"):
        from_minari("trap-v0")


class Far(gym.Env):
    """Registered nowhere; zero is not among its actions."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Box(np.array([1, -1]), np.array([2, 1]), dtype=np.float32)


class Named(Far):
    """Its actions have names."""

    action_space = spaces.Dict({"a": spaces.Discrete(2)})


class Whole(Far):
    """Its states are vectors of bytes."""

    observation_space = spaces.Box(0, 255, (4,), np.uint8)


@pytest.mark.parametrize(
    ("demos", "env", "expected"),
    [
        (FINITE, "CartPole-v1", "int32 states up to 4, the environment has the state space Box"),
        (FINITE, Far(), "states up to 4, the environment has the state space Discrete(2)"),
        (VECTORS, "FrozenLake-v1", "states of 4 dimensions"),
        (VECTORS, "Pendulum-v1", "states of 4 dimensions"),
        (Demonstrations.from_episodes([np.full((2, 4), 0.5)]), Whole(), "float32 states"),
        (step(actions=np.ones((2, 3))), Far(), "actions of 3 dimensions"),
        (step(actions=np.array([7, 7])), "FrozenLake-v1", "int64 actions up to 7"),
        (step(), Named(), "leave the environment out"),
        (FINITE, "FrozenLak-v1", "environment 'FrozenLak-v1' cannot be made"),
        (FINITE, "nowhere:A-v0", "cannot import 'nowhere' of environment 'nowhere:A-v0'"),
        (step(metadata={"made by": print}), None, "cannot be written"),
    ],
)
def test_a_refused_export_leaves_nothing(root: Path, demos, env, expected: str) -> None:
    with pytest.raises(DepoError) as error:
        to_minari(demos, "bad-v0", env=env)
    assert expected in str(error.value)
    assert not (root / "bad-v0").exists()


@pytest.mark.parametrize("dataset_id", ["noversion", "../up-v0", "a b-v0", "", "/abs-v0"])
def test_an_id_that_is_none_is_refused(dataset_id: str) -> None:
    with pytest.raises(DepoError, match="is not the id of a Minari dataset"):
        to_minari(FINITE, dataset_id)


def test_an_existing_dataset_is_not_touched() -> None:
    to_minari(FINITE, "mine-v0")
    with pytest.raises(DepoError, match="'minari delete mine-v0'"):
        to_minari(VECTORS, "mine-v0")
    assert from_minari("mine-v0").is_finite


def test_an_environment_registered_with_a_class_still_exports() -> None:
    gym.register("Classy-v0", entry_point=Far)
    try:
        to_minari(step(), "classy-v0", env="Classy-v0")
    finally:
        del gym.registry["Classy-v0"]
    assert minari.load_dataset("classy-v0").env_spec is None
    assert from_minari("classy-v0").metadata["environment"] == "Classy-v0"


def test_without_minari_the_remedy_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    for use in (lambda: from_minari("a-v0"), lambda: to_minari(FINITE, "a-v0")):
        with pytest.raises(DepoError, match=r"pip install 'depo\[minari\]'"):
            use()


def test_the_commands_convert_both_ways(tmp_path: Path, capsys) -> None:
    file = tmp_path / "again.npz"
    assert call("demos", "export-minari", "gridworld", "grid-v0", "--env", "depo/GridWorld-v0") == 0
    assert "grid-v0: 100 episodes in" in capsys.readouterr().out.replace("\n", "")
    assert call("demos", "import-minari", "grid-v0", file, "--episodes", "7", "--json") == 0
    assert json.loads(capsys.readouterr().out)["episodes"] == 7
    assert Demonstrations.load(file).metadata["environment"] == "depo/GridWorld-v0"
    for words, expected in [
        (["export-minari", "gridworld", "grid-v0"], "exists already"),
        (["import-minari", "grid-v0", file, "--keep-actions"], "do not keep them"),
        (["import-minari", "grid-v0", file, "--episodes", "101"], "101 of its 100 episodes"),
        (["import-minari", "grid-v1", file], "minari download grid-v1"),
        (["import-minri", "grid-v0", file], "did you mean 'import-minari'"),
    ]:
        assert call("demos", *words) == 2
        assert expected in capsys.readouterr().err


@pytest.mark.real_child
def test_a_damaged_file_that_would_take_all_memory_is_a_sentence(root: Path, monkeypatch) -> None:
    """The parser alone would take 14 GB for such a file, and never end."""
    monkeypatch.setenv("DEPO_READ_SECONDS", "2")
    to_minari(VECTORS, "mine-v0")
    assert from_minari("mine-v0").episodes == 2
    file = root / "mine-v0" / "data" / "main_data.hdf5"
    whole = file.read_bytes()
    for block in (512, 4096):
        file.write_bytes(whole[: 2 * block] + whole[block : 2 * block] + whole[2 * block :])
        with pytest.raises(DepoError, match=r"Minari dataset 'mine-v0'.* cannot be read"):
            from_minari("mine-v0")


def test_what_is_no_file_is_not_opened(root: Path) -> None:
    to_minari(FINITE, "mine-v0")
    file = root / "mine-v0" / "data" / "main_data.hdf5"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(DepoError, match="is no plain file"):
        from_minari("mine-v0")


@pytest.mark.parametrize(
    ("kept_as", "installed", "said"),
    [
        ("arrow", "14.0.0", "pyarrow 14.0.0 would run code that it holds"),
        ("parquet", "8.0.0.dev3", "pyarrow 8.0.0.dev3 would run code"),
        ("parquet", None, r"pip install 'minari\[arrow\]'"),
        ("os:system", "99.0.0", "data_format is 'os:system'"),
    ],
)
def test_a_parser_that_runs_what_a_file_says_is_not_asked(
    kept_as: str, installed: str | None, said: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(_: str) -> str:
        if installed is None:
            raise PackageNotFoundError
        return installed

    monkeypatch.setattr("depo.data.minari_format.version", version)
    about = next(to_minari(VECTORS, "corridor/by-hand-v0").rglob("metadata.json"))
    about.write_text(json.dumps(json.loads(about.read_text()) | {"data_format": kept_as}))
    with pytest.raises(DepoError, match=said):
        from_minari("corridor/by-hand-v0")


def test_a_safe_pyarrow_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depo.data.minari_format.version", lambda _: "14.0.1")
    spaces_of = {"observation_space": "{}", "action_space": "{}"}
    assert read_mark({**spaces_of, "data_format": "arrow"}).rewards == ""
