"""An expert who arrives, in the plane: how often the agent ends is followed as it gathers."""

from __future__ import annotations

from pathlib import Path

import pytest

from depo.methods.off_policy.steps import ENDS
from depo.runs.problem import open_problem
from tests.environments.point import arriving_demonstrations
from tests.support.runs import resumes_exactly, train
from tests.support.settings import IMITATION, SHORT, SKILL

ARRIVING = SKILL | SHORT | {"termination": "relative"}


def test_the_agents_share_of_ends_is_that_of_what_it_gathered(tmp_path: Path) -> None:
    run = train("depo", tmp_path, arriving_demonstrations, **ARRIVING)
    problem = open_problem(run.job)
    learner = problem.learner
    state = learner.init(run.job.seeds)
    agent = state.agents[0]
    expert = float(agent[ENDS].model.expert)
    assert expert == pytest.approx(3 / 96, rel=0.1)  # three of the four episodes are drawn
    learner.synchronise(state, 0)
    collector = learner.collectors[0]
    agent, _, _ = learner.prepare(collector, agent, state.averages[0])
    ended = collector.replay.newest(collector.replay.total).terminated
    assert not ended.any()  # random steps do not get there
    assert float(agent[ENDS].model.agent) < expert
    problem.close()


@pytest.mark.parametrize("method", ["depo", "gaifo"])
def test_a_run_whose_expert_arrives_resumes_exactly(method: str, tmp_path: Path) -> None:
    settings = (ARRIVING if method == "depo" else IMITATION | SHORT) | {"termination": "relative"}
    assert resumes_exactly(method, tmp_path, expert=arriving_demonstrations, **settings)
