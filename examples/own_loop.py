"""Drive a learner by hand: your own loop, no run folder, no checkpoint.

A learner gathers steps and updates agents; its state is a pytree. Soft actor-critic on a pendulum,
far too short to swing it up.
"""

import jax.numpy as jnp

from depo.api import make_job
from depo.runs.problem import open_problem

SMALL = {"hidden": 32, "batch_steps": 100, "random_steps": 300, "evaluate_every": 2}


def main(rounds: int) -> None:
    """Advance, look, go on."""
    job = make_job("sac", env="Pendulum-v1", steps=200 * rounds, overrides=SMALL)
    problem = open_problem(job)
    learner, state = problem.learner, problem.initial_state()
    try:
        learner.synchronise(state, 0)
        for done in range(1, rounds + 1):
            state, metrics = learner.advance(state)  # 2 × 100 steps, and as many updates
            loss = float(metrics["critic_loss"][0])  # NaN before the first update
            print(f"{done * job.steps_per_block:,} steps, critic loss {loss:.3g}")
        decision = learner.policy(state, 0).mode(jnp.array([1.0, 0.0, 0.0]))
        print("torque in [−1, 1] when it stands upright:", decision.action)
    finally:
        problem.close()


if __name__ == "__main__":
    main(rounds=4)
