"""Speed of driving: ego steps a second in JAX, through Gymnasium environments, in plain NumPy.

    python benchmarks/driving.py [RECORDING]                all cores
    taskset -c 1 python benchmarks/driving.py [RECORDING]   one core

Every way steps the same scene: look up the others, move, find the six neighbours, test for
collisions with everybody in the frame. Without RECORDING, the one that ships.
"""

from __future__ import annotations

import os
import sys
import time

import equinox as eqx
import gymnasium as gym
import jax
import numpy as np
from timing import best_time

import depo  # noqa: F401  (registers the environment)
from depo.driving.environment import DrivingEnvironment, Ego
from depo.driving.opening import open_environment
from depo.driving.settings import ID, DrivingSettings
from depo.driving.vehicles import AGILE_LENGTH

STEPS, TARGET = 100, 100_000


@eqx.filter_jit
def play(environment: DrivingEnvironment, ego: Ego, key: jax.Array) -> Ego:
    def step(ego: Ego, key: jax.Array) -> tuple[Ego, None]:
        action = 0.1 * jax.random.normal(key, (len(ego.vehicle), 2))
        return environment.step(ego, action).ego, None

    return jax.lax.scan(step, ego, jax.random.split(key, STEPS))[0]


def compiled_speed(environment: DrivingEnvironment, copies: int) -> float:
    """Steps a second in one compiled loop, episodes restarting."""
    keys = jax.random.key_data(jax.random.split(jax.random.key(0), copies))
    ego = environment.reset(keys)[0]
    return copies * STEPS / best_time(lambda: play(environment, ego, jax.random.key(1)))


def vector_speed(recording: str, copies: int) -> float:
    """Steps a second through the vector environment, from Python."""
    envs = gym.make_vec(ID, num_envs=copies, recording=recording)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).normal(0, 0.1, (STEPS, copies, 2)).astype(np.float32)

    def run() -> None:
        for action in actions:
            envs.step(action)

    return copies * STEPS / best_time(run, 3)


def single_speed(recording: str) -> float:
    """Steps a second of one Gymnasium environment."""
    env = gym.make(ID, recording=recording).unwrapped
    env.reset(seed=0)
    began = time.perf_counter()
    for _ in range(300):
        if any(env.step(np.zeros(2, np.float32))[2:4]):
            env.reset()
    return 300 / (time.perf_counter() - began)


class NumPyScene:
    """The same step for one ego, in plain NumPy, the way one would write it first."""

    def __init__(self, environment: DrivingEnvironment):
        scene = environment.scene
        self.environment, self.road = environment, scene.road
        self.others, self.who = np.asarray(scene.others), np.asarray(scene.who)
        self.begins = np.asarray(scene.lane_begin)
        self.start = np.stack([np.asarray(column) for column in scene.start], axis=1)
        self.start_frame = np.asarray(scene.start_frame)
        self.length, self.width = np.asarray(scene.length), np.asarray(scene.width)

    def step(self, vehicle: int, frame: int, pose: np.ndarray, action: np.ndarray) -> tuple:
        """The pose after it, the state, and whether the episode is over."""
        kind, dt = self.environment.body, self.environment.scene.time_step
        x, y, speed, dx, dy = pose
        length, width = self.length[vehicle], self.width[vehicle]
        a = np.clip(action[0], -1, 1) * kind.acceleration
        most = kind.curvature * min((AGILE_LENGTH / length) ** 2, 1.0)
        turn = np.clip(np.clip(action[1], -1, 1) * kind.curvature, -most, most) * speed * dt
        heading = np.array([dx + dy * turn, dy - dx * turn])
        hx, hy = heading / np.linalg.norm(heading)
        x, y = x + speed * dx * dt, y + speed * dy * dt
        pose = np.array([x, y, max(speed + a * dt, 0.0), hx, hy])
        others, who = self.others[frame + 1], self.who[frame + 1]
        fronts, ox, oy, odx, ody, hl, hw, _ = others
        rx, ry = ox - (x + hx * length / 2), oy - (y + hy * length / 2)
        cos, sin = np.abs(hx * odx + hy * ody), np.abs(hx * ody - hy * odx)
        depth = self.environment.depth
        hit = (
            (np.abs(rx * hx + ry * hy) + depth < length / 2 + hl * cos + hw * sin)
            & (np.abs(rx * hy - ry * hx) + depth < width / 2 + hl * sin + hw * cos)
            & (np.abs(rx * odx + ry * ody) + depth < hl + length / 2 * cos + width / 2 * sin)
            & (np.abs(rx * ody - ry * odx) + depth < hw + length / 2 * sin + width / 2 * cos)
            & (who != vehicle)
        )
        front, seen = x + length * hx, [x, y, pose[2] * hx, pose[2] * hy]
        lane = int(np.clip((y - self.road.lateral_origin) // self.road.lane_width, 0, 5))
        state = list(seen)
        for other in (lane - 1, lane, lane + 1):
            slots = range(0)
            if 0 <= other < self.road.lanes:
                slots = range(self.begins[frame + 1, other], self.begins[frame + 1, other + 1])
            mine = np.array([s for s in slots if who[s] != vehicle], int)
            behind, ahead = mine[fronts[mine] <= front], mine[fronts[mine] > front]
            for found in (behind[-1:], ahead[:1]):
                state += list(others[[1, 2, 3, 4], found[0]]) if len(found) else seen
        ended = hit.any() or self.road.off_road(x, y) or x > self.road.zone[1]
        return pose, np.array(state), bool(ended)


def numpy_speed(environment: DrivingEnvironment, steps: int = 3_000) -> float:
    """Steps a second of the plain loop."""
    scene, generator = NumPyScene(environment), np.random.default_rng(0)
    choice = np.asarray(environment.choice)
    actions = generator.normal(0, 0.1, (steps, 2))
    vehicle = int(generator.choice(choice))
    frame, pose = int(scene.start_frame[vehicle]), scene.start[vehicle]
    began = time.perf_counter()
    for action in actions:
        pose, _, ended = scene.step(vehicle, frame, pose, action)
        frame += 1
        if ended or frame + 2 >= environment.scene.frames:
            vehicle = int(generator.choice(choice))
            frame, pose = int(scene.start_frame[vehicle]), scene.start[vehicle]
    return steps / (time.perf_counter() - began)


def main() -> None:
    recording = sys.argv[1] if len(sys.argv) > 1 else ""
    began = time.perf_counter()
    environment = open_environment(DrivingSettings(recording=recording))
    scene = environment.scene
    print(
        f"{scene.vehicles} vehicles, {scene.frames} frames, at most {scene.others.shape[2] - 1} at "
        f"once; prepared in {time.perf_counter() - began:.1f} s; "
        f"{len(os.sched_getaffinity(0))} core(s)"
    )
    rows = [(f"JAX, {n} egos", compiled_speed(environment, n)) for n in (64, 256, 1024)]
    rows += [(f"vector environment, {n} egos", vector_speed(recording, n)) for n in (32, 256)]
    rows += [("one Gymnasium environment", single_speed(recording))]
    rows += [("plain NumPy loop, one ego", numpy_speed(environment))]
    slowest = rows[-1][1]
    print(f"\n{'':28} {'ego steps/s':>14} {'× NumPy':>9}")
    for label, speed in rows:
        print(f"{label:28} {speed:14,.0f} {speed / slowest:9.1f}")
    fastest = max(speed for _, speed in rows)
    print(f"\ntarget {TARGET:,}: {'reached' if fastest >= TARGET else 'missed'}")


if __name__ == "__main__":
    main()
