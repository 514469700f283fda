"""Demonstrations of a run's own policy: states only, unless actions are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from depo.analysis.evaluate import gymnasium_of, load_policy
from depo.core.errors import DepoError
from depo.core.seeds import RECORDING
from depo.data.demonstrations import Demonstrations
from depo.environments.given import EnvironmentLike
from depo.evaluation.vector_rollouts import Episodes, Player
from depo.methods.registry import OFF_POLICY
from depo.runs.run import Run, as_run


def record(
    run: str | Path | Run,
    *,
    episodes: int = 10,
    seed: int | None = None,
    actions: bool = False,
    noise: float = 0.0,
    env: EnvironmentLike | None = None,
    trust: bool = False,
) -> Demonstrations:
    """Play the deterministic policy of one seed's last checkpoint and keep where it went.

    Episodes begin from seeds that neither training nor evaluation uses; none is left out.
    ``noise`` (of actions in [−1, 1], or the share of discrete ones that are random) shows also how
    the policy finds back when it is pushed off.
    ``trust`` lets a run that somebody else made import the modules it names.
    """
    run = as_run(run, env=env, trust=trust)
    if run.job.learner != OFF_POLICY:
        raise DepoError(
            f"{run.path} is on finite states, policies on vector states are recorded: 'depo demos "
            "make FILE' writes those of the grid world's built-in expert"
        )
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    if not 0.0 <= noise <= 1.0:
        raise DepoError(f"noise {noise} is not between 0 and 1, the range of actions")
    chosen, policy = load_policy(run, seed)
    environment = gymnasium_of(run.job)
    simulator = Player(environment, chosen, episodes, RECORDING)
    try:
        played = simulator.play(policy, noise=noise)
    finally:
        simulator.close()
    acted = np.concatenate([_actions(played, i) for i in range(episodes)]) if actions else None
    own = environment.plain().vector_sizes().states  # without the memory a skill may need
    steps = run.steps_done()
    acting = f"deterministic policy with noise {noise:g}" if noise else "deterministic policy"
    return Demonstrations(
        observations=np.concatenate([played.states(i)[:, :own] for i in range(episodes)]),
        episode_lengths=played.lengths() + 1,
        episode_returns=played.returns(),
        actions=None if acted is None else environment.native_actions(acted),
        metadata={
            "environment": environment.id,
            "arguments": dict(environment.arguments),
            "dynamics": environment.dynamics,
            "source": f"{run.job.method}, {steps:,} steps, seed {chosen}, {acting}",
        },
    )


def _actions(played: Episodes, i: int) -> np.ndarray:
    """One action for each state; the last is repeated."""
    length = int(played.lengths()[i])
    return np.concatenate([played.action[:length, i], played.action[length - 1 : length, i]])
