"""Learning in anybody's JAX environment: gathered inside the compiler, by the public API."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import depo
from depo.learners import collector
from tests.support.pure import Point, straight

SMALL = {
    "hidden": 16,
    "minibatch": 16,
    "batch_steps": 40,
    "copies": 4,
    "random_steps": 80,
    "evaluate_every": 2,
    "checkpoint_every": 1,
}
ADVERSARY = {"discriminator_hidden": 16, "demo_episodes": 3}


@pytest.mark.parametrize(
    ("method", "own"),
    [("depo", ADVERSARY | {"skill_hidden": 16}), ("gaifo", ADVERSARY), ("sac", {})],
)
def test_methods_learn_in_a_gymnax_environment(
    method: str, own: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_):
        raise AssertionError("gathered from Python")

    monkeypatch.setattr(collector, "HostGathering", refuse)
    demos = {} if method == "sac" else {"demos": straight()}
    run = depo.train(
        method,
        env=Point(),
        steps=240,
        overrides=SMALL | own,
        out=tmp_path / "run",
        progress=False,
        **demos,
    )
    assert run.status() == "finished"
    assert "point" in run.job.environment.label
    scores = run.final_scores()[0]
    assert -15 < scores["return"] < 0
    assert scores["episode_length"] <= 12
    action = run.policy().act(np.zeros(2))
    assert action.shape == (2,)
    assert (np.abs(action) <= 2.0).all()  # in its own units


def test_a_stopped_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    given = {"env": Point(wind=0.05), "steps": 320, "overrides": SMALL, "progress": False}
    whole = depo.train("sac", out=tmp_path / "whole", **given)
    stop = depo.Call(lambda now: "enough" if now.steps >= 160 else None)
    cut = depo.train("sac", out=tmp_path / "cut", callbacks=[stop], **given)
    assert cut.status() == "stopped"
    del gym.registry[cut.job.environment.id]  # as in another process
    depo.resume(cut.path, env=Point(wind=0.05), progress=False)
    assert (cut.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert cut.latest()[0].read_bytes() == whole.latest()[0].read_bytes()


def test_changed_dynamics_and_kept_memories_are_gathered_from_python(tmp_path: Path) -> None:
    small = SMALL | ADVERSARY | {"skill_hidden": 16, "skill_memory": True}
    run = depo.train(
        "depo",
        env=Point(),
        dynamics="inverted",
        demos=straight(),
        steps=160,
        overrides=small,
        out=tmp_path / "run",
        progress=False,
    )
    assert run.status() == "finished"
