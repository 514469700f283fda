"""What a method of another package has to keep, to be asked in that package's own tests.

def test_mine(tmp_path):
    depo.testing.check_method("mine", tmp_path, steps=512, overrides={"checkpoint_every": 1})
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from depo.api import resume, train
from depo.core.errors import DepoError
from depo.models.acting import Policy
from depo.runs.callbacks import Callback, Evaluation
from depo.runs.run import METRICS, Run


class StopAtOnce(Callback):
    """Stops a run at its first checkpoint."""

    def on_evaluation(self, evaluation: Evaluation) -> str:
        """Why."""
        return "to be resumed"


def check_method(method: str, folder: Path, **job: Any) -> Run:
    """Train a method twice, once with a stop and a resume, and act with what it has learned; the
    run, or an AssertionError that says what it does not keep.

    ``job`` is what :func:`depo.train` takes. Two checkpoints at least are needed: ``steps`` are
    twice ``batch_steps`` × ``evaluate_every`` × ``checkpoint_every``, or more.
    """
    whole = train(method, out=folder / "whole", progress=False, **job)
    cut = train(method, out=folder / "cut", progress=False, callbacks=[StopAtOnce()], **job)
    if cut.is_finished():
        s = cut.job.settings
        each = cut.job.steps_per_block * s.saving.checkpoint_every
        raise DepoError(
            f"{cut.job.steps:,} steps have no checkpoint to stop at, they come every {each:,}: "
            f"raise steps to {2 * each:,}, or lower batch_steps, evaluate_every, checkpoint_every"
        )
    cut = resume(cut, progress=False)
    for name in (METRICS, whole.latest()[0].relative_to(whole.path)):
        same = (whole.path / name).read_bytes() == (cut.path / name).read_bytes()
        assert same, (
            f"{method} does not resume exactly: {name} differs. All it knows must be in the agent, "
            "and all its chance from the key that it is given"
        )
    for seed in whole.job.seeds:
        check_policy(whole.policy(seed), _observations(whole))
    return whole


def check_policy(policy: Policy, observations: np.ndarray) -> None:
    """Actions are finite, within their bounds, and the likeliest are the same every time."""
    for deterministic in (True, False):
        found = np.asarray(policy.act(observations, deterministic=deterministic, seed=0))
        again = np.asarray(policy.act(observations, deterministic=deterministic, seed=0))
        assert np.array_equal(found, again), f"{policy!r} acts otherwise in the same states"
        assert np.isfinite(found).all(), f"{policy!r} gives actions that are no numbers"
        low, high = _bounds(policy)
        inside = (found >= low - 1e-6) & (found <= high + 1e-6)
        assert inside.all(), f"{policy!r} acts outside of [{low}, {high}]: {found[~inside][:3]}"


def _bounds(policy: Policy) -> tuple[Any, Any]:
    own = policy.actions
    if own.count is not None and own.low is None:
        return 0, own.count - 1
    low: Any = -np.inf if own.low is None else np.reshape(own.low, own.shape)
    high: Any = np.inf if own.high is None else np.reshape(own.high, own.shape)
    return low, high


def _observations(run: Run) -> np.ndarray:
    """Where an expert was, or every finite state, or where an episode begins."""
    demos = run.demonstrations()
    if demos is not None:
        return np.asarray(demos.transitions()[0][:100])
    environment = run.job.first_environment.gymnasium()
    if environment.is_finite():
        return np.arange(environment.finite_sizes().states)
    env = environment.make()
    try:
        return np.asarray(env.reset(seed=0)[0])[None]
    finally:
        env.close()
