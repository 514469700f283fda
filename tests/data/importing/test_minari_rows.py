"""Minari's datasets, an episode at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import minari
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from minari.data_collector import EpisodeBuffer

from depo.core.errors import DepoError
from depo.data.importing.target import Target
from depo.environments.flattening import Flattening
from tests.support.recordings import demos_of, import_here, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:minari")
LENGTHS = (4, 7)
MAZE = Dict(
    {
        "observation": Box(-np.inf, np.inf, (3,)),
        "achieved_goal": Box(-np.inf, np.inf, (2,)),
        "desired_goal": Box(-np.inf, np.inf, (2,)),
    }
)


def written(folder: Path, space: gym.Space, observations: list[Any]) -> Path:
    """A dataset as Minari writes it."""
    buffers = [
        EpisodeBuffer(
            observations=own,
            actions=np.zeros((n - 1, 1), np.float32),
            rewards=np.zeros(n - 1),
            terminations=np.zeros(n - 1, bool),
            truncations=np.arange(n - 1) == n - 2,
            infos={},
        )
        for own, n in zip(observations, LENGTHS, strict=True)
    ]
    data = minari.create_dataset_from_buffers(
        "mine-v0", buffers, observation_space=space, action_space=Box(-1, 1, (1,))
    )
    assert folder in Path(data.storage.data_path).parents
    return folder / "mine-v0"


@pytest.fixture(autouse=True)
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def maze() -> list[dict[str, np.ndarray]]:
    drawn = np.random.default_rng(0)
    return [
        {name: drawn.normal(size=(n, *part.shape)) for name, part in MAZE.spaces.items()}
        for n in LENGTHS
    ]


def test_a_dict_becomes_the_vector_that_the_environment_gives(tmp_path: Path) -> None:
    episodes, flat = maze(), Flattening.of(MAZE)
    demos = demos_of(written(tmp_path, MAZE, episodes), {}, step=0.1)
    assert demos.feature_names == flat.names
    assert demos.episode_lengths.tolist() == list(LENGTHS)
    rows = [{k: v[i] for k, v in e.items()} for e in episodes for i in range(len(e["observation"]))]
    np.testing.assert_allclose(demos.observations, [flat.vector(row) for row in rows], atol=1e-6)


@pytest.mark.real_child
def test_a_part_of_a_dict_is_chosen_by_its_key(tmp_path: Path) -> None:
    episodes = maze()
    chosen = {"columns": ("observation", "goal=desired_goal")}
    demos = demos_of(written(tmp_path, MAZE, episodes), chosen)
    assert demos.feature_names[-2:] == ("goal_0", "goal_1")
    expected = [np.concatenate([e["observation"], e["desired_goal"]], axis=1) for e in episodes]
    np.testing.assert_allclose(demos.observations, np.concatenate(expected), atol=1e-6)


def test_what_is_no_row_of_numbers_is_left_out_and_said(tmp_path: Path) -> None:
    space = Dict({"camera": Box(0, 255, (4, 4, 3), np.uint8), "height": Box(-1, 1, ())})
    episodes = [
        {"camera": np.zeros((n, 4, 4, 3), np.uint8), "height": np.linspace(0, 1, n)}
        for n in LENGTHS
    ]
    found = import_here(written(tmp_path, space, episodes), {})
    assert found.names == ("height",)
    assert found.reports[0].notes[0].startswith("not read: camera Box(0, 255, (4, 4, 3)")


def test_finite_states(tmp_path: Path) -> None:
    demos = demos_of(written(tmp_path, Discrete(9), [np.arange(n) for n in LENGTHS]), {})
    assert demos.is_finite
    assert demos.observations.tolist() == [*range(4), *range(7)]


def test_episodes_of_parts_with_different_lengths_are_refused(tmp_path: Path) -> None:
    import h5py

    folder = written(tmp_path, MAZE, maze())
    with h5py.File(folder / "data" / "main_data.hdf5", "a") as file:
        del file["episode_1/observations/achieved_goal"]
        file["episode_1/observations/achieved_goal"] = np.zeros((5, 2))
    with pytest.raises(DepoError, match=r"parts of episode 1 have different lengths"):
        import_here(folder, {})
    about = json.loads((folder / "data" / "metadata.json").read_text())
    del about["observation_space"]
    (folder / "data" / "metadata.json").write_text(json.dumps(about))
    with pytest.raises(DepoError, match="its spaces are not written down"):
        import_here(folder, {})


def test_rows_that_are_steps_need_no_environment_that_says_how_long_one_is(tmp_path: Path) -> None:
    silent = Target("E", 7, Flattening.of(MAZE).names, says_step=False)
    demos = demos_of(written(tmp_path, MAZE, maze()), {}, target=silent)
    assert demos.episode_lengths.tolist() == list(LENGTHS)
    path = write_csv(tmp_path / "a.csv", {"t": [0.0, 0.1, 0.2], "x": [1.0, 2, 3]})
    with pytest.raises(DepoError, match="does not say how long a step is"):
        import_here(path, {}, target=Target("E", 1, says_step=False))
