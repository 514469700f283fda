"""Pictures of MuJoCo tasks from observations alone: states that no simulator ever was in.

An observation of these tasks is the joint positions without the root's place on the floor, then
all velocities (clipped to ±10 in Hopper and Walker2d):

| task | in the observation | left out | velocity it is found from |
| --- | --- | --- | --- |
| InvertedPendulum | 2 positions, 2 velocities | – | – |
| Hopper | 5 positions, 6 velocities | x | the first |
| Walker2d, HalfCheetah | 8 positions, 9 velocities | x | the first |
| Ant (slim) | 13 positions, 14 velocities | x, y | the first two |
| Humanoid (slim) | 22 positions, 23 velocities | x, y | the first two |

What is left out begins at 0 and is integrated from its velocity.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import NAME_OF

STANDING = ("InvertedPendulum-v5",)
"""Tasks whose model has no camera that goes along."""
PLANE = 0
"""MuJoCo's number for a plane."""
FLOOR = 1_000.0
"""Half the length of a drawn floor, in metres: a task's own ends after 20 or 40."""
LOWEST = 0.3
"""Metres above the floor that a camera stays, though the body it goes along with may be imagined
below it."""

_FREE = (("x", "y", "z", "q0", "q1", "q2", "q3"), ("x", "y", "z", "rx", "ry", "rz"))
"""Positions and velocities of a body that nothing holds."""


class MujocoStates:
    """A simulator that is never stepped, only put into poses and drawn."""

    def __init__(self, environment: GymnasiumEnvironment):
        self._env = drawable(environment)
        self._goes_along = environment.id not in STANDING
        structure = self._env.unwrapped.observation_structure  # type: ignore[attr-defined]
        self.hidden = int(structure.get("skipped_qpos", 0))
        self.positions, self.velocities = int(structure["qpos"]), int(structure["qvel"])
        self.seconds = float(self._env.unwrapped.dt)  # type: ignore[attr-defined]
        self._env.reset(seed=0)

    @staticmethod
    def known(environment: GymnasiumEnvironment, states: int) -> bool:
        """Whether observations of this length say the pose."""
        if environment.id not in NAME_OF:
            return False
        env = environment.plain().make()
        try:
            structure = env.unwrapped.observation_structure  # type: ignore[attr-defined]
            return states == structure["qpos"] + structure["qvel"]
        finally:
            env.close()

    @staticmethod
    def names(environment: GymnasiumEnvironment, states: int) -> tuple[str, ...] | None:
        """What each number of an observation is, by the model's joints; None if not known."""
        if not MujocoStates.known(environment, states):
            return None
        model = _model(environment)
        positions: list[str] = []
        velocities: list[str] = []
        for joint in (model.joint(i) for i in range(model.njnt)):
            parts, rates = _FREE if len(joint.qpos0) == len(_FREE[0]) else (("",), ("",))
            name = joint.name.removesuffix("_joint")
            positions += [f"{name} {part}".strip() for part in parts]
            velocities += [f"{name} {rate}".strip() + "'" for rate in rates]
        return (*positions[len(positions) + len(velocities) - states :], *velocities)

    @staticmethod
    def motors(environment: GymnasiumEnvironment, states: int) -> tuple[int, ...] | None:
        """Which numbers of an observation are velocities of joints that a motor drives; None if
        not known."""
        if not MujocoStates.known(environment, states):
            return None
        model = _model(environment)
        first = states - model.nv
        return tuple(sorted({first + int(model.jnt_dofadr[i]) for i, _ in model.actuator_trnid}))

    def joints(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of all joints for consecutive observations (time, features)."""
        seen, velocity = np.split(np.asarray(states, float), [self.positions], axis=1)
        speed = velocity[:, : self.hidden]
        moved = self.seconds * np.cumsum((speed[1:] + speed[:-1]) / 2, axis=0)
        place = np.concatenate([np.zeros((1, self.hidden)), moved])
        return np.concatenate([place, seen], axis=1), velocity

    def observe(self, position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """What the task shows of a pose: the way back."""
        inner = self._env.unwrapped
        inner.set_state(position, velocity)  # type: ignore[attr-defined]
        return np.asarray(inner._get_obs())  # type: ignore[attr-defined]

    def draw(self, states: np.ndarray) -> list[np.ndarray]:
        """A picture of each of some consecutive observations."""
        pictures = []
        for position, velocity in zip(*self.joints(states), strict=True):
            self._env.unwrapped.set_state(position, velocity)  # type: ignore[attr-defined]
            self._lift_cameras()
            pictures.append(picture(self._env))
        return pictures

    def _lift_cameras(self) -> None:
        """From below, a floor hides everything."""
        places = self._env.unwrapped.data.cam_xpos  # type: ignore[attr-defined]
        places[:, 2] = np.maximum(places[:, 2], LOWEST)

    def frame(self, drawn: np.ndarray) -> np.ndarray:
        """The part with the body in it: where the camera goes along, not sky and sides."""
        height, width = drawn.shape[:2]
        return drawn[height // 4 :, width // 8 : -width // 8] if self._goes_along else drawn

    def close(self) -> None:
        """Close the simulator."""
        self._env.close()


def _model(environment: GymnasiumEnvironment) -> Any:
    """MuJoCo's model of the body."""
    env = environment.plain().make()
    env.close()
    return env.unwrapped.model  # type: ignore[attr-defined]


def drawable(environment: GymnasiumEnvironment) -> gym.Env:
    """A copy that draws itself; works without a screen."""
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("MUJOCO_GL", "egl")
    _check_draws(environment)
    arguments = {**environment.arguments, "render_mode": "rgb_array"}
    if environment.id in NAME_OF and environment.id not in STANDING:
        arguments["camera_name"] = "track"  # left to itself, Gymnasium's camera stays behind
    env = replace(environment, arguments=arguments).make()
    if environment.id in NAME_OF:
        _widen_floor(env.unwrapped.model)  # type: ignore[attr-defined]
    return env


def _widen_floor(model: Any) -> None:
    """Draw the floor, endless in the physics, to where nobody gets, with tiles as large."""
    for floor in np.flatnonzero(model.geom_type == PLANE):
        model.mat_texrepeat[model.geom_matid[floor]] *= FLOOR / model.geom_size[floor, :2]
        model.geom_size[floor, :2] = FLOOR


def _check_draws(environment: GymnasiumEnvironment) -> None:
    env = environment.plain().make()
    modes = env.metadata.get("render_modes") or []
    env.close()
    if "rgb_array" not in modes:
        raise DepoError(
            f"environment '{environment.id}' draws no pictures: 'rgb_array' is not among the "
            f"render_modes of its metadata ({', '.join(modes) or 'none'})"
        )


def picture(env: gym.Env) -> np.ndarray:
    """What an environment looks like, with even numbers of rows and columns, as films need."""
    try:
        drawn = np.asarray(env.render())
    except Exception as error:
        raise DepoError(
            f"cannot draw the environment ({type(error).__name__}: {error}); without a screen, "
            "install EGL (Debian: apt install libegl1 libgl1-mesa-dri), or OSMesa (libosmesa6) "
            "and set MUJOCO_GL=osmesa"
        ) from error
    if drawn.ndim != 3:
        raise DepoError(
            f"the environment's picture has shape {drawn.shape}: rows, columns and colours expected"
        )
    return drawn[: drawn.shape[0] // 2 * 2, : drawn.shape[1] // 2 * 2]


def side_by_side(rows: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    """Several films as one; a shorter one stays at its last picture, greyed."""
    length = max(len(row) for row in rows)
    return [
        np.concatenate(
            [row[t] if t < len(row) else row[-1] // 2 + 96 for row in rows], axis=1
        ).astype(np.uint8)
        for t in range(length)
    ]
