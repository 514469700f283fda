"""What it costs that many actions have one effect: skills fitted offline, then played again.

    python benchmarks/many_to_one.py --env Hopper-v5 --dynamics mixed --modes 1 4 16

Random actions make transitions, skills are fitted to them, and each held-out transition is asked of
the skill: the simulator is put back into its state, the skill's action is taken, and the state it
reaches is compared with the one that was wanted. The error is relative to standing still. The same
without mixing (``--dynamics inverted``) tells what the networks alone cost.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.losses import distal_skill
from depo.methods.off_policy.steps import skill_loss, step
from depo.methods.optimisation import descend, fresh
from depo.models.forward import Forward
from depo.models.mlp import MLP
from depo.models.normaliser import Normaliser
from depo.models.planner import GaussianPlanner
from depo.models.skill import VectorSkill

HELD_OUT = 1_000
AT_ONCE = 200


def gather(env: Any, steps: int, extremes: float) -> tuple[np.ndarray, ...]:
    """States, states reached, actions, and the simulator's own coordinates before each step."""
    generator = np.random.default_rng(0)
    rows = []
    state, _ = env.reset(seed=0)
    for _ in range(steps):
        action = generator.uniform(-1, 1, env.action_space.shape)
        action = np.where(generator.random(action.shape) < extremes, np.sign(action), action)
        data = env.unwrapped.data
        before = np.concatenate([data.qpos, data.qvel])
        reached, _, ended, cut, _ = env.step(action)
        rows.append((state, reached, action, before))
        state = env.reset()[0] if ended or cut else reached
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def replay(env: Any, before: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The states reached when each action is taken where it was asked for."""
    positions, reached = env.unwrapped.model.nq, []
    for start, action in zip(before, actions, strict=True):
        env.reset()
        env.unwrapped.set_state(start[:positions], start[positions:])
        reached.append(env.step(action)[0])
    return np.array(reached)


def fit(skill: VectorSkill, rows: tuple[np.ndarray, ...], updates: int) -> VectorSkill:
    """A skill after ``updates`` steps of Adam on minibatches of 256."""
    optimiser = optax.adam(1e-3)
    trained = fresh(skill, optimiser)
    some_steps = eqx.filter_jit(
        lambda trained, batches: descend(
            trained, optimiser, lambda model, batch: skill_loss(model, *batch), batches
        )
    )
    for batches in minibatches(rows, updates):
        trained, _ = some_steps(trained, batches)
    return trained.model


def fit_by_effects(skill: VectorSkill, rows: tuple[np.ndarray, ...], updates: int) -> VectorSkill:
    """The same, each step after one of a forward model through which the skill is fitted."""
    optimiser, features = optax.adam(1e-3), rows[0].shape[1]
    network = MLP(jax.random.key(2), features + skill.actions, (256, 256), features)
    both = fresh(skill, optimiser), fresh(Forward(network, jnp.ones(features)), optimiser)
    units = GaussianPlanner(jax.random.key(0), skill.normaliser, (1,))

    @eqx.filter_jit
    def some_steps(both: Any, batches: Any) -> Any:
        arrays, rest = eqx.partition(both, eqx.is_array)

        def one(arrays: Any, batch: Any) -> tuple[Any, None]:
            skill, forward = eqx.combine(arrays, rest)
            state, reached, action = batch
            forward, *_ = step(
                forward,
                optimiser,
                lambda model: (
                    distal_skill.forward_loss(model, units, state, action, reached),
                    None,
                ),
            )
            skill, *_ = step(
                skill,
                optimiser,
                lambda model: (
                    distal_skill.skill_loss(model, forward.model, units, state, reached),
                    None,
                ),
            )
            return eqx.filter((skill, forward), eqx.is_array), None

        return eqx.combine(jax.lax.scan(one, arrays, batches)[0], rest)

    for batches in minibatches(rows, updates):
        both = some_steps(both, batches)
    return both[0].model


def minibatches(rows: tuple[np.ndarray, ...], updates: int) -> Iterator[tuple[jax.Array, ...]]:
    """``updates`` minibatches of 256 rows, several at once."""
    generator = np.random.default_rng(1)
    for _ in range(updates // AT_ONCE):
        index = generator.integers(len(rows[0]), size=(AT_ONCE, 256))
        yield tuple(jnp.asarray(x[index], jnp.float32) for x in rows)


def main() -> None:
    """One line for the true actions, one for each number of modes, one for a skill by effects."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--env", default="Hopper-v5")
    parser.add_argument("--dynamics", default="mixed")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--updates", type=int, default=6_000)
    parser.add_argument("--extremes", type=float, default=0.0)
    parser.add_argument("--modes", type=int, nargs="+", default=[1, 4, 16])
    asked = parser.parse_args()
    env = GymnasiumEnvironment(asked.env, dynamics=asked.dynamics).make()
    state, reached, action, before = gather(env, asked.steps, asked.extremes)
    seen = tuple(x[:-HELD_OUT] for x in (state, reached, action))
    state, reached, action, before = (x[-HELD_OUT:] for x in (state, reached, action, before))
    normaliser = Normaliser.of(jnp.asarray(seen[0], jnp.float32), 20.0)
    scale = np.asarray(normaliser.scale)
    still = np.mean(((state - reached) / scale) ** 2)

    def report(name: str, chosen: np.ndarray, seconds: float) -> None:
        error = np.mean(((replay(env, before, chosen) - reached) / scale) ** 2) / still
        squared = np.mean(np.sum((chosen - action) ** 2, axis=-1))
        print(f"{name:12} reach {error:.4f}   action {squared:.3f}   {seconds:.0f} s", flush=True)

    report("true", action, 0.0)
    ways = {f"{modes} modes": (modes, fit) for modes in asked.modes}
    for name, (modes, how) in {**ways, "effects": (1, fit_by_effects)}.items():
        began = time.process_time()
        skill = VectorSkill(jax.random.key(0), normaliser, action.shape[1], (256, 256), modes=modes)
        skill = how(skill, seen, asked.updates)
        inputs = (jnp.asarray(x, jnp.float32) for x in (state, reached))
        chosen = np.asarray(skill.mode(*inputs), np.float64)
        report(name, chosen, time.process_time() - began)


if __name__ == "__main__":
    main()
