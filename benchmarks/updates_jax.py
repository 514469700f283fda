"""The worker of ``updates.py`` that runs our own compiled updates."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import equinox as eqx
import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
from updates import serve

from depo.data.transitions import Transitions
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.learners.factory import vector_learner
from depo.learners.off_policy import OffPolicyLearner
from depo.methods.off_policy.method import Pace
from depo.methods.presets import preset_settings
from depo.methods.registry import OFF_POLICY, implementation_of
from depo.methods.settings_tree import MethodSettings, flat_values, with_values
from depo.models.mlp import ACTIVATIONS, MLP, layer_norm

STATES, ACTIONS = 11, 3
ROWS, PAIRS = 250_000, 4_000
"""Transitions in the replay (more than the critics' share of it, so that the skill's minibatches
are drawn apart) and pairs of demonstrations."""


class HopperShaped(gym.Env):
    """Hopper's spaces; nobody steps it."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (STATES,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (ACTIONS,), np.float32)


ID = "depo-benchmark/HopperShaped-v0"
gym.register(ID, entry_point=HopperShaped)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).normal(size=shape).astype(np.float32)


def new_learner(settings: MethodSettings) -> OffPolicyLearner:
    """A learner whose replay and demonstrations are noise."""
    expert = (normal(PAIRS, STATES), normal(PAIRS, STATES))
    pace = Pace.for_run(settings.learning, updates=1_000_000)
    method = implementation_of(settings).build(settings, pace)
    planned = tuple(range(STATES))
    learner = vector_learner(
        method, GymnasiumEnvironment(ID), seeds=[0], experts=[expert], planned=planned
    )
    ended = normal(ROWS) > 2.5
    action = np.tanh(normal(ROWS, ACTIONS))
    rows = Transitions(normal(ROWS, STATES), action, normal(ROWS, STATES), normal(ROWS), ended)
    learner.collectors[0].replay.add(rows)
    return learner


@contextlib.contextmanager
def products_in(dtype: str) -> Iterator[None]:
    """Every layer's product in this type, forwards and backwards.

    ``jax.default_matmul_precision`` has no effect on processors.
    """

    def product(x: jax.Array, weight: jax.Array) -> jax.Array:
        return (x.astype(dtype) @ weight.astype(dtype)).astype(x.dtype)

    def call(self: MLP, x: jax.Array) -> jax.Array:
        x = product(x, self.weights[0]) + self.biases[0]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            if self.normalise:
                x = layer_norm(x)
            x = product(ACTIVATIONS[self.activation](x), weight) + bias
        return x

    if dtype == "float32":
        yield
    else:
        with mock.patch.object(MLP, "__call__", call):
            yield


class Burst:
    """A learner's compiled burst, and the agent it goes on with."""

    def __init__(self, settings: MethodSettings, dtype: str):
        self.learner = new_learner(settings)
        self.world = self.learner.collectors[0]
        state = self.learner.init([0])
        self.agent, self.average = state.agents[0], state.averages[0]
        self.key = jax.random.key(0)
        batches = self.learner.draw(self.world)
        burst: Any = self.learner._burst
        jax.clear_caches()
        began = time.perf_counter()
        with products_in(dtype):
            self.compiled = burst.lower(*self._inputs(batches)).compile()
        self.compile_seconds = time.perf_counter() - began

    def _inputs(self, batches: Any) -> tuple[Any, ...]:
        method = self.learner.method
        return method, self.agent, self.average, *batches, self.world.expert, self.key

    def gflop(self) -> float:
        """GFLOP of one update, as XLA counts them."""
        batch, wide = jax.tree.map(lambda x: x[0], self.learner.draw(self.world))
        update: Any = eqx.filter_jit(self.learner.method.update)
        lowered = update.lower(self.agent, batch, wide, self.world.expert, self.key)
        return lowered.lowered.cost_analysis()["flops"] / 1e9

    def run(self) -> dict[str, float]:
        """Draw minibatches, run one burst on them."""
        clocks = [both_clocks()]
        inputs = self._inputs(jax.block_until_ready(self.learner.draw(self.world)))
        clocks.append(both_clocks())
        self.agent, self.average, _ = jax.block_until_ready(self.compiled(*inputs))
        clocks.append(both_clocks())
        drawing, bursting = (np.subtract(b, a).tolist() for a, b in pairwise(clocks))
        self.key = jax.random.fold_in(self.key, 1)
        return {
            "draw_wall": drawing[0],
            "draw_cpu": drawing[1],
            "wall": bursting[0],
            "cpu": bursting[1],
        }


def both_clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


bursts: dict[str, Burst] = {}
chains: dict[tuple[str, int], Any] = {}


def hopper_settings(method: str) -> MethodSettings:
    return preset_settings(method, "fast", OFF_POLICY, "Hopper-v5")


def prepare(label: str, method: str, dtype: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Compile twice, the second time from the cache."""
    settings = with_values(hopper_settings(method), changes)
    cold = Burst(settings, dtype)
    bursts[label] = Burst(settings, dtype)
    return {
        "gflop": bursts[label].gflop(),
        "cold": cold.compile_seconds,
        "cached": bursts[label].compile_seconds,
        "settings": flat_values(settings),
    }


def products(dtype: str, count: int) -> dict[str, float]:
    """A chain of matrix products."""
    if (dtype, count) not in chains:
        turn = jnp.asarray(np.linalg.qr(normal(256, 256))[0], dtype)  # keeps lengths
        chain = jax.jit(lambda x, w: jax.lax.scan(lambda x, _: (x @ w, None), x, length=count)[0])
        chains[dtype, count] = (chain.lower(turn, turn).compile(), turn)
    chain, turn = chains[dtype, count]
    began = both_clocks()
    jax.block_until_ready(chain(turn, turn))
    wall, cpu = np.subtract(both_clocks(), began).tolist()
    return {"wall": wall, "cpu": cpu}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        serve(
            {
                "preset_minibatch": lambda method: hopper_settings(method).learning.minibatch,
                "prepare": prepare,
                "run": lambda label: bursts[label].run(),
                "products": products,
                "resident_megabytes": resident_megabytes,
            }
        )


if __name__ == "__main__":
    main()
