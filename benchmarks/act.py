"""One action on one core: ``policy.act``, what it costs, and the compiled program it replaces.

    python benchmarks/act.py

Hopper-size networks (11 features, 3 actions, planner and skill of 2×256), after warm-up. Calls are
timed one by one, in turns, and the median is shown: on a busy machine a mean is of other processes.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable

import jax
import numpy as np

import depo
from depo.models.acting import Policy, Space

FEATURES, ACTIONS = 11, 3
CALLS, WARM_UP = 5_000, 200


def main() -> None:
    with contextlib.suppress(AttributeError, OSError):  # where a process cannot choose its cores
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(
        f"{'hidden layers':14}{'policy.act µs':>14}{'95% below':>11}{'compiled µs':>13}{'ratio':>7}"
    )
    for hidden in ((64, 64), (256, 256), (400, 300), (256,) * 4):
        plain, compiled = measured(hidden)
        typical = np.median(plain), np.percentile(plain, 95), np.median(compiled)
        print(
            f"{'×'.join(map(str, hidden)):14}{typical[0]:14.1f}{typical[1]:11.1f}"
            f"{typical[2]:13.1f}{typical[2] / typical[0]:7.1f}"
        )


def measured(hidden: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Microseconds of each call, plain and compiled; both give the same action."""
    policy = untrained(hidden)
    state = np.random.default_rng(0).normal(size=FEATURES)
    single = state.astype(np.float32)

    def compiled() -> np.ndarray:
        return policy._own_units(policy._act(single), single, single=True)

    np.testing.assert_allclose(policy.act(state), compiled(), atol=1e-5)
    calls = lambda: policy.act(state), compiled
    times = np.array([[microseconds(call) for call in calls] for _ in range(WARM_UP + CALLS)])
    return times[WARM_UP:, 0], times[WARM_UP:, 1]


def untrained(hidden: tuple[int, ...]) -> Policy:
    """Weights do not matter for time."""
    sees, bound = depo.Normaliser.none(FEATURES, clip=10.0), np.ones(ACTIONS, np.float32)
    planner = depo.GaussianPlanner(jax.random.key(0), sees, hidden)
    skill = depo.VectorSkill(jax.random.key(1), sees, ACTIONS, hidden)
    actions = Space.box(-bound, bound)
    model = depo.DecoupledPolicy(planner, skill)
    return Policy(model, observations=Space.vector(FEATURES), actions=actions)


def microseconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - began)


if __name__ == "__main__":
    main()
