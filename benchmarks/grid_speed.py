"""Speed on the grid world: environment steps, gradient updates, and the machine's own ceiling.

    python benchmarks/grid_speed.py            all cores
    taskset -c 0 python benchmarks/grid_speed.py   one core

Everything is measured side by side in one run, after compilation; the ceiling is the machine's
float32 matrix product (1024³) in the same process. An update is one gradient step of one network.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from timing import best_time

import depo  # noqa: F401  (registers the environment)
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.environments.grid.table import tabular_gridworld
from depo.environments.tabular import Position, TabularEnvironment
from depo.learners.on_policy import CompiledLearner
from depo.methods.presets import preset_settings
from depo.methods.registry import ON_POLICY, implementation_of, trainable
from depo.methods.settings_tree import flat_values

COPIES, STEPS, SEEDS = 4096, 200, 5


def ceiling() -> float:
    """GFLOP/s of a float32 matrix product."""
    a = jax.random.normal(jax.random.key(0), (1024, 1024))
    product = jax.jit(lambda x: x @ x)
    return 2 * 1024**3 / best_time(lambda: product(a), 20) / 1e9


def environment_speeds(world: GridWorld) -> list[tuple[str, float]]:
    """Random actions in JAX, in the vector environment, and in the single Gymnasium environment."""
    environment = tabular_gridworld(world)

    @jax.jit
    def play(environment: TabularEnvironment, key: jax.Array) -> Position:
        def step(position: Position, key: jax.Array) -> tuple[Position, None]:
            act, move = jax.random.split(key)
            draw = jax.random.uniform(act, (COPIES,)) * environment.actions
            return environment.step(position, draw.astype(jnp.int32), move).position, None

        begin = environment.reset(key, COPIES)
        return jax.lax.scan(step, begin, jax.random.split(key, STEPS))[0]

    compiled = COPIES * STEPS / best_time(lambda: play(environment, jax.random.key(0)))
    envs = gym.make_vec("depo/GridWorld-v0", num_envs=COPIES)
    envs.reset(seed=0)
    generator = np.random.default_rng(0)
    began = time.perf_counter()
    for _ in range(STEPS):
        envs.step(generator.integers(world.actions, size=COPIES))
    vector = COPIES * STEPS / (time.perf_counter() - began)
    one = gym.make("depo/GridWorld-v0").unwrapped
    one.reset(seed=0)
    began = time.perf_counter()
    for _ in range(10_000):
        if any(one.step(int(generator.integers(world.actions)))[2:4]):
            one.reset()
    single = 10_000 / (time.perf_counter() - began)
    return [
        (f"JAX, {COPIES} copies", compiled),
        (f"vector environment, {COPIES} copies", vector),
        ("one Gymnasium environment", single),
    ]


def updates_in_block(settings: Any, rounds: float) -> float:
    """Gradient steps of one seed in one iteration."""
    flat = flat_values(settings)
    count = rounds * flat.get("skill_steps", 0)
    if "epochs" in flat:
        count += 2 * flat["epochs"] * (flat["batch_steps"] // flat["minibatch"])
    return count + sum(
        flat.get(f"{name}_steps", 0) for name in ("discriminator", "actor", "planner")
    )


def method_speed(name: str, world: GridWorld) -> tuple[float, float, float]:
    """Environment steps a second, updates a second (all seeds), seconds to compile."""
    settings = preset_settings(name, "fast")
    demos = world.demonstrations()
    learner = CompiledLearner(
        tabular_gridworld(world),
        method=implementation_of(settings).build(settings),
        expert=demos.transitions(),
        steps=60 * settings.collection.batch_steps,
    )
    state = learner.init(range(SEEDS))
    learner.synchronise(state, 0)
    began = time.perf_counter()
    state, _ = learner.advance(state)
    compiling = time.perf_counter() - began
    updates, blocks = 0.0, 30
    began = time.perf_counter()
    for _ in range(blocks):
        state, metrics = learner.advance(state)
        rounds = float(metrics.get("skill_rounds", np.zeros(1)).mean())
        updates += SEEDS * updates_in_block(settings, rounds)
    seconds = time.perf_counter() - began
    return SEEDS * blocks * settings.collection.batch_steps / seconds, updates / seconds, compiling


def skill_share(peak: float) -> float:
    """The skill's gradient steps against the ceiling: 6 FLOP for each weight and row."""
    settings = preset_settings("transfer", "fast")
    h = settings.learning.hidden
    weights = 72 * h + 2 * h * h + h * 4
    _, updates, _ = method_speed("depo-supervised", GridWorld(GridWorldSettings()))
    return 6 * weights * settings.skill.batch * updates / 1e9 / peak


def main() -> None:
    world = GridWorld(GridWorldSettings())
    peak = ceiling()
    print(f"matrix product: {peak:.0f} GFLOP/s float32\n")
    print(f"{'environment':32} {'steps/s':>14}")
    for label, speed in environment_speeds(world):
        print(f"{label:32} {speed:14,.0f}")
    print(
        f"\n{'method (5 seeds, k = 1)':32} {'env steps/s':>14} {'updates/s':>12} {'compile s':>10}"
    )
    for name in (n for n, spec in trainable().items() if ON_POLICY in spec.implementations):
        steps, updates, compiling = method_speed(name, world)
        print(f"{name:32} {steps:14,.0f} {updates:12,.0f} {compiling:10.1f}")
    share = skill_share(peak)
    print(f"\nsupervised DePO (skill and planner steps) uses {share:.0%} of the matrix ceiling")


if __name__ == "__main__":
    main()
