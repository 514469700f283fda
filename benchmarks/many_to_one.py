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
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from depo.environments.host import HostEnvironment
from depo.methods.descent import descend, fresh
from depo.methods.off_policy.parts import skill_loss
from depo.models.skill import VectorSkill
from depo.models.standard import Standard

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
    """A skill after so many steps of Adam on minibatches of 256."""
    optimiser, generator = optax.adam(1e-3), np.random.default_rng(1)
    trained = fresh(skill, optimiser)
    step = eqx.filter_jit(
        lambda trained, batches: descend(
            trained, optimiser, lambda model, batch: skill_loss(model, *batch), batches
        )
    )
    for _ in range(updates // AT_ONCE):
        index = generator.integers(len(rows[0]), size=(AT_ONCE, 256))
        trained, _ = step(trained, tuple(jnp.asarray(x[index], jnp.float32) for x in rows))
    return trained.model


def main() -> None:
    """Print one line for the true actions and one for each number of modes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--env", default="Hopper-v5")
    parser.add_argument("--dynamics", default="mixed")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--updates", type=int, default=6_000)
    parser.add_argument("--extremes", type=float, default=0.0)
    parser.add_argument("--modes", type=int, nargs="+", default=[1, 4, 16])
    asked = parser.parse_args()
    env = HostEnvironment(asked.env, dynamics=asked.dynamics).make()
    state, reached, action, before = gather(env, asked.steps, asked.extremes)
    seen = tuple(x[:-HELD_OUT] for x in (state, reached, action))
    state, reached, action, before = (x[-HELD_OUT:] for x in (state, reached, action, before))
    standard = Standard.of(jnp.asarray(seen[0], jnp.float32), 20.0)
    scale = np.asarray(standard.scale)
    still = np.mean(((state - reached) / scale) ** 2)

    def report(name: str, chosen: np.ndarray, seconds: float) -> None:
        error = np.mean(((replay(env, before, chosen) - reached) / scale) ** 2) / still
        squared = np.mean(np.sum((chosen - action) ** 2, axis=-1))
        print(f"{name:12} reach {error:.4f}   action {squared:.3f}   {seconds:.0f} s", flush=True)

    report("true", action, 0.0)
    for modes in asked.modes:
        began = time.process_time()
        skill = VectorSkill(jax.random.key(0), standard, action.shape[1], (256, 256), modes=modes)
        skill = fit(skill, seen, asked.updates)
        inputs = (jnp.asarray(x, jnp.float32) for x in (state, reached))
        chosen = np.asarray(skill.mode(*inputs), np.float64)
        report(f"{modes} modes", chosen, time.process_time() - began)


if __name__ == "__main__":
    main()
