"""Files as other projects lay them out: what comes out is right to the last row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest

from depo.core.errors import DepoError
from tests.support.recordings import demos_of, import_here, write_csv

LENGTHS = (12, 20, 15)
ROWS = sum(LENGTHS)
EPISODES = [np.random.default_rng(n).normal(size=(n, 5)).astype(np.float32) for n in LENGTHS]
STATES = np.concatenate(EPISODES)
ENDS = np.cumsum(LENGTHS) - 1
ACTIONS = np.zeros((ROWS, 3), np.float32)


def marks(*rows: int) -> np.ndarray:
    return np.isin(np.arange(ROWS), rows)


def write(path: Path, **datasets: Any) -> Path:
    with h5py.File(path, "w") as file:
        for name, data in datasets.items():
            file[name] = data
    return path


def groups(parent: str, more: Mapping[str, Any], *parts: str) -> dict[str, Any]:
    """A group for each episode: the state in two parts, and what else there is."""
    found = {}
    for i, episode in enumerate(EPISODES):
        n, group = len(episode), f"{parent}_{i}"
        found |= {f"{group}/{parts[0]}": episode[:, :3], f"{group}/{parts[1]}": episode[:, 3:]}
        found |= {f"{group}/{name}": np.zeros((n, *shape)) for name, shape in more.items()}
    return found


def assert_right(path: Path, **more: Any) -> None:
    demos = demos_of(path, {}, **more)
    assert demos.episode_lengths.tolist() == list(LENGTHS)
    np.testing.assert_array_equal(demos.observations, STATES)


def test_d4rl_with_the_weights_of_its_policy(tmp_path: Path) -> None:
    layers = {"fc0": (256, 5), "fc1": (256, 256), "last_fc": (3, 256)}
    weights = {f"metadata/policy/{k}/weight": np.zeros(shape) for k, shape in layers.items()}
    biases = {f"metadata/policy/{k}/bias": np.zeros(shape[0]) for k, shape in layers.items()}
    path = write(
        tmp_path / "hopper_medium-v2.hdf5",
        observations=STATES,
        next_observations=np.roll(STATES, -1, 0),
        actions=ACTIONS,
        rewards=np.zeros(ROWS),
        terminals=marks(ENDS[1]),
        timeouts=marks(ENDS[0], ENDS[2]),
        **{"infos/qpos": np.zeros((ROWS, 6)), "metadata/algorithm": np.bytes_("SAC")},
        **weights,
        **biases,
    )
    assert_right(path, step=0.008)


def test_robomimic(tmp_path: Path) -> None:
    more = {"actions": (7,), "rewards": (), "dones": (), "states": (32,), "next_obs/eef_pos": (3,)}
    more["obs/agentview_image"] = (4, 4, 3)
    data = groups("data/demo", more, "obs/eef_pos", "obs/joint_vel")
    data |= {"mask/train": np.array([b"demo_0", b"demo_2"]), "mask/valid": np.array([b"demo_1"])}
    assert_right(write(tmp_path / "low_dim.hdf5", **data), step=0.05)


def test_isaac_lab_without_the_last_action(tmp_path: Path) -> None:
    more = {
        "actions": (7,),
        "obs/actions": (7,),
        "states/articulation/robot/joint_position": (3,),
        "states/rigid_object/cube_1/root_pose": (7,),
        "states/rigid_object/cube_2/root_pose": (7,),
    }
    data = groups("data/demo", more, "obs/joint_pos", "obs/joint_vel")
    data |= {f"data/demo_{i}/initial_state/robot/root_pose": np.zeros((1, 7)) for i in range(3)}
    path = write(tmp_path / "isaac.hdf5", **data)
    assert_right(path)
    assert "left out: actions," in import_here(path, {}).reports[0].notes[0]
    joints = "states/articulation/robot/joint_"
    data = groups("data/demo", {"actions": (7,)}, f"{joints}position", f"{joints}velocity")
    assert_right(write(tmp_path / "states.hdf5", **data))


def test_rlds_as_one_table_and_as_groups(tmp_path: Path) -> None:
    steps = {
        "action": ACTIONS,
        "reward": np.zeros(ROWS),
        "discount": np.ones(ROWS),
        "is_first": marks(0, *(ENDS[:-1] + 1)),
        "is_last": marks(*ENDS),
        "is_terminal": marks(),
    }
    inside = {f"steps/{name}": data for name, data in steps.items()}
    assert_right(write(tmp_path / "a.h5", **inside, **{"steps/observation": STATES}))
    more = {"steps/action": (3,), "steps/is_last": (), "steps/is_first": ()}
    parts = ("steps/observation/joints", "steps/observation/rates")
    assert_right(write(tmp_path / "b.h5", **groups("episode", more, *parts)))
    np.savez(tmp_path / "c.npz", observation=STATES, **steps)
    assert_right(tmp_path / "c.npz", step=0.1)
    table = pl.DataFrame({"observation": STATES.tolist(), "action": ACTIONS.tolist()})
    plain = {name: data for name, data in steps.items() if name != "action"}
    table.with_columns(**{n: pl.Series(d) for n, d in plain.items()}).write_parquet(
        tmp_path / "d.parquet"
    )
    assert_right(tmp_path / "d.parquet")


def test_loco_mujoco_with_bodies_and_transitions(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "walk.npz",
        qpos=STATES[:, :3],
        qvel=STATES[:, 3:],
        xpos=np.zeros((ROWS, 4, 3)),
        cvel=np.zeros((ROWS, 4, 6)),
        userdata=np.empty(0),
        split_points=np.array([0, *(ENDS + 1)]),
        joint_names=["hip", "knee", "ankle"],
        site_names=np.array(None, dtype=object),
        metadata=np.array(None, dtype=object),
        frequency=100.0,
        njnt=3,
        jnt_type=np.array([3, 3, 3]),
        observations=np.zeros((ROWS, 9)),
        actions=ACTIONS,
        dones=marks(*ENDS),
    )
    assert_right(tmp_path / "walk.npz")


def test_topics_of_ros_as_columns_and_as_words(tmp_path: Path) -> None:
    count = range(LENGTHS[1])
    stamps = {
        "Time": [1.7e9 + 0.02 * i for i in count],
        "header.seq": [*count],
        "header.stamp.secs": [1_700_000_000 + i // 50 for i in count],
        "header.stamp.nsecs": [20_000_000 * (i % 50) for i in count],
    }
    numbers = {f"position_{i}": EPISODES[1][:, i].tolist() for i in range(5)}
    demos = demos_of(write_csv(tmp_path / "a.csv", stamps | numbers), {})
    np.testing.assert_array_equal(demos.observations, EPISODES[1])
    words = {"position": ["[0.1; 0.2]" for _ in count], "name": ["[hip; knee]" for _ in count]}
    with pytest.raises(DepoError, match=r"no column of numbers.*'position, name' hold words"):
        import_here(write_csv(tmp_path / "b.csv", stamps | words), {})
