from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.data import Demonstrations
from depo.methods.off_policy.steps import ENDS
from depo.runs.demonstrations import draw_demonstrations
from depo.runs.problem import open_problem
from tests.environments.point import ID
from tests.support.arguments import flat


def test_demonstrations_that_visit_every_cell_can_be_imitated(tmp_path: Path) -> None:
    walk = Demonstrations.from_episodes([[0, 1, 2, 5, 4, 3, 6, 7, 8]]).save(tmp_path / "all.npz")
    small = {"size": 3, "hidden": 8, "batch_steps": 64, "steps": 64}
    run = depo.train("depo-supervised", demos=walk, out=tmp_path / "run", **flat(**small))
    row = run.final_scores()[0]
    assert "legal_demonstrated" in row
    assert "legal_undemonstrated" not in row


def test_demonstrations_of_another_space_are_refused(tmp_path: Path) -> None:
    vectors = depo.Demonstrations.from_episodes([np.zeros((3, 11))]).save(tmp_path / "v.npz")
    with pytest.raises(depo.DepoError, match=r"11-dimensional vectors.*36 finite states"):
        depo.train("depo", demos=vectors, out=tmp_path / "run")
    large = depo.Demonstrations.from_episodes([[0, 99]]).save(tmp_path / "l.npz")
    with pytest.raises(depo.DepoError, match="visit state 99"):
        depo.train("depo", demos=large, out=tmp_path / "run")


@pytest.mark.parametrize(
    ("length", "episodes", "drawn"), [(1000, 10, 4), (50, 200, 80), (50, 30, 30), (5000, 9, 4)]
)
def test_enough_recordings_are_drawn_where_no_number_is_asked_for(
    length: int, episodes: int, drawn: int
) -> None:
    states = np.arange(length * episodes, dtype=np.float32)[:, None]
    demos = Demonstrations(states, np.full(episodes, length))
    seen, rest = draw_demonstrations(demos, 0, seed=100)
    assert seen is not None
    assert seen.episodes == drawn
    assert (rest.episodes if rest else 0) == episodes - drawn


@pytest.mark.parametrize(
    ("early", "arrives", "wanted"),
    [(True, True, True), (True, False, False), (False, True, False)],
)
def test_a_learner_knows_whether_recorded_episodes_end_by_themselves(
    early: bool, arrives: bool, wanted: bool
) -> None:
    generator = np.random.default_rng(0)
    lengths = (20, 23, 27, 25) if early else (41, 41, 41, 20)  # the environment's limit is 40 steps
    begin = 9.0 if arrives else 0.0
    ways = [np.linspace(begin, 0.0, n)[:, None] + generator.normal(size=(n, 2)) for n in lengths]
    demos = Demonstrations.from_episodes(ways)
    small = {"hidden": 8, "skill_hidden": 8, "discriminator_hidden": 8}
    job = make_job("depo", env=ID, demos=demos, overrides=small)
    problem = open_problem(job, demos)
    agent = problem.skeleton().agents[0]
    problem.close()
    assert (ENDS in agent) == wanted
