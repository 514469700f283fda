"""The zoo: every card tells what its model does, and ``zoo:NAME`` stands where a folder does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

import depo
from depo.analysis.policies import play
from depo.api import make_job
from depo.core.weights import digest
from depo.environments.family import EnvironmentSettings
from depo.runs.home import home_of_policy
from depo.runs.planners import planner_folder
from depo.zoo.entries import FOLDER, LARGEST, find, located, names

QUICK = ("grid", "inverted-pendulum")
"""Entries whose score is replayed by every test run."""


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names()],
)
def test_a_card_tells_the_score(name: str) -> None:
    entry, policy = find(name), depo.load_policy(f"zoo:{name}")
    played = play(policy, home(policy), entry.seeds)
    score = entry.scores["return"]
    assert score.low - 1e-6 <= np.mean(played.returns) <= score.high + 1e-6


def test_a_wrong_policy_does_not_have_it() -> None:
    """The check above can fail: the same networks with shuffled weights score less."""
    policy, entry = depo.load_policy("zoo:grid"), find("grid")
    model = jax.tree.map(lambda weights: weights[::-1], policy.model)
    broken = depo.Policy(model, observations=policy.observations, actions=policy.actions)
    played = play(broken, home(policy), entry.seeds)
    assert np.mean(played.returns) < entry.scores["return"].low


@pytest.mark.parametrize("name", names())
def test_an_entry_is_small_and_has_a_card_for_hubs(name: str) -> None:
    entry = find(name)
    assert sum(file.stat().st_size for file in entry.folder.rglob("*")) < LARGEST
    assert entry.episodes >= 20
    assert len(entry.seeds) == entry.episodes
    head = re.match(r"---\n(.*?)\n---\n", entry.card(), re.DOTALL)
    assert head
    for key in ("license: mit", "library_name: depo", "tags: [", "model-index:"):
        assert key in head[1]
    text = "".join(f.read_text() for f in entry.folder.rglob("*") if f.suffix in (".md", ".json"))
    assert not re.search(r"/(root|home|tmp|work|Users)\b|signature", text)


def test_planner_and_policy_are_of_one_training() -> None:
    for name in names():
        policy = depo.load_policy(f"zoo:{name}")
        assert digest(policy.model.planner) == digest(depo.load_planner(f"zoo:{name}"))


def test_a_name_stands_where_a_folder_does(tmp_path: Path) -> None:
    assert planner_folder("zoo:grid", seed=7) == FOLDER / "grid" / "planner"
    job = make_job("transfer", planner="zoo:grid", env_args={"k": 2})
    assert job.environment.label == "gridworld-6x6-k2"
    assert job.planner == "zoo:grid"
    (scores,) = depo.evaluate("zoo:grid", episodes=2)
    assert scores["success"] > 0.99
    assert depo.evaluate(FOLDER / "grid" / "policy", episodes=2)[0] == scores
    with pytest.raises(
        depo.DepoError, match="unknown model of the zoo 'gird': did you mean 'grid'"
    ):
        depo.load_planner("zoo:gird")
    assert located(tmp_path, "planner") == tmp_path


def test_a_label_that_does_not_say_all_is_refused(tmp_path: Path) -> None:
    """A policy for other actions would be scored in the wrong grid world."""
    policy = depo.load_policy("zoo:grid")
    policy.origin = replace(policy.origin, environment="gridworld-6x6-k4")
    depo.save_policy(tmp_path, policy)
    with pytest.raises(depo.DepoError, match="gridworld-6x6-k4, which is not known by that name"):
        depo.evaluate(tmp_path)


def home(policy: depo.Policy) -> EnvironmentSettings:
    found = home_of_policy(policy)
    assert found is not None
    return found
